-- The schema that the migrations make, to be read and not to be run.
-- Generated from db/migrations/ by `npm run schema`; do not edit.

create schema chain;

create table chain.assets (
  id bytea not null,
  author bytea not null,
  salt bytea not null,
  content_hash bytea not null,
  name text not null,
  data text not null,
  file_name text not null,
  file_type text not null,
  file_size text not null,
  method text not null,
  hash text not null,
  uri text not null,
  raw_details bytea,
  block_number bigint not null,
  transaction_index bigint not null,
  log_index bigint not null,
  transaction_hash bytea not null,
  name_key text collate "C" not null,
  file_digest bytea,
  constraint assets_pkey PRIMARY KEY (id),
  constraint assets_author_check CHECK (octet_length(author) = 20),
  constraint assets_content_hash_check CHECK (octet_length(content_hash) = 32),
  constraint assets_file_digest_check CHECK (octet_length(file_digest) = 12),
  constraint assets_id_check CHECK (octet_length(id) = 32),
  constraint assets_salt_check CHECK (octet_length(salt) = 32),
  constraint assets_transaction_hash_check CHECK (octet_length(transaction_hash) = 32),
  constraint assets_block_number_fkey FOREIGN KEY (block_number) REFERENCES chain.blocks(number) ON DELETE CASCADE
);
CREATE INDEX assets_author_block_number_log_index_idx ON chain.assets USING btree (author, block_number, log_index);
CREATE INDEX assets_block_number_log_index_idx ON chain.assets USING btree (block_number, log_index);
CREATE INDEX assets_file_digest_block_number_log_index_idx ON chain.assets USING btree (file_digest, block_number, log_index) WHERE (file_digest IS NOT NULL);
CREATE INDEX assets_name_key_idx ON chain.assets USING btree (name_key);
CREATE INDEX assets_string_to_array_idx ON chain.assets USING gin (string_to_array(name_key, ' '::text));

create table chain.blocks (
  number bigint not null,
  hash bytea not null,
  parent_hash bytea not null,
  "timestamp" bigint not null,
  constraint blocks_pkey PRIMARY KEY (number),
  constraint blocks_hash_key UNIQUE (hash),
  constraint blocks_hash_check CHECK (octet_length(hash) = 32),
  constraint blocks_number_check CHECK (number >= 0),
  constraint blocks_parent_hash_check CHECK (octet_length(parent_hash) = 32),
  constraint blocks_timestamp_check CHECK ("timestamp" >= 0)
);
CREATE INDEX blocks_timestamp_number_idx ON chain.blocks USING btree ("timestamp", number);

create table chain.cancellations (
  author bytea not null,
  subject bytea not null,
  block_number bigint not null,
  transaction_index bigint not null,
  log_index bigint not null,
  transaction_hash bytea not null,
  constraint cancellations_pkey PRIMARY KEY (block_number, log_index),
  constraint cancellations_author_check CHECK (octet_length(author) = 20),
  constraint cancellations_subject_check CHECK (octet_length(subject) = 32),
  constraint cancellations_transaction_hash_check CHECK (octet_length(transaction_hash) = 32),
  constraint cancellations_block_number_fkey FOREIGN KEY (block_number) REFERENCES chain.blocks(number) ON DELETE CASCADE
);
CREATE INDEX cancellations_author_subject_block_number_idx ON chain.cancellations USING btree (author, subject, block_number);

create table chain.cursor (
  only_row boolean not null default true,
  chain_id bigint not null,
  registry bytea not null,
  start_block bigint not null,
  block_number bigint not null,
  block_hash bytea,
  final_number bigint not null default '-1'::integer,
  confirmations bigint,
  head_number bigint not null,
  head_seen_at timestamp with time zone not null default now(),
  halted_reason text,
  constraint cursor_pkey PRIMARY KEY (only_row),
  constraint cursor_block_hash_check CHECK (octet_length(block_hash) = 32),
  constraint cursor_only_row_check CHECK (only_row),
  constraint cursor_registry_check CHECK (octet_length(registry) = 20)
);

create table chain.links (
  parent bytea not null,
  child bytea not null,
  nth integer not null,
  block_number bigint not null,
  transaction_index bigint not null,
  log_index bigint not null,
  transaction_hash bytea not null,
  revoked_block bigint,
  revoked_transaction_index bigint,
  revoked_log_index bigint,
  revoked_transaction_hash bytea,
  constraint links_pkey PRIMARY KEY (parent, child, nth),
  constraint links_child_check CHECK (octet_length(child) = 32),
  constraint links_nth_check CHECK (nth >= 1),
  constraint links_parent_check CHECK (octet_length(parent) = 32),
  constraint links_revoked_transaction_hash_check CHECK (octet_length(revoked_transaction_hash) = 32),
  constraint links_transaction_hash_check CHECK (octet_length(transaction_hash) = 32),
  constraint links_block_number_fkey FOREIGN KEY (block_number) REFERENCES chain.blocks(number) ON DELETE CASCADE,
  constraint links_revoked_block_fkey FOREIGN KEY (revoked_block) REFERENCES chain.blocks(number) ON DELETE SET NULL
);
CREATE INDEX links_block_number_idx ON chain.links USING btree (block_number);
CREATE INDEX links_child_block_number_log_index_parent_idx ON chain.links USING btree (child, block_number, log_index) INCLUDE (parent) WHERE (revoked_block IS NULL);
CREATE INDEX links_child_revoked_block_idx ON chain.links USING btree (child, revoked_block) WHERE (revoked_block IS NOT NULL);
CREATE INDEX links_parent_block_number_log_index_child_idx ON chain.links USING btree (parent, block_number, log_index) INCLUDE (child) WHERE (revoked_block IS NULL);
CREATE INDEX links_parent_revoked_block_idx ON chain.links USING btree (parent, revoked_block) WHERE (revoked_block IS NOT NULL);
CREATE INDEX links_revoked_block_idx ON chain.links USING btree (revoked_block);

create table chain.nonces (
  address bytea not null,
  block_number bigint not null,
  nonce bigint not null,
  constraint nonces_pkey PRIMARY KEY (address, block_number),
  constraint nonces_address_check CHECK (octet_length(address) = 20),
  constraint nonces_block_number_fkey FOREIGN KEY (block_number) REFERENCES chain.blocks(number) ON DELETE CASCADE
);
CREATE INDEX nonces_address_nonce_block_number_idx ON chain.nonces USING btree (address, nonce, block_number);
CREATE INDEX nonces_block_number_idx ON chain.nonces USING btree (block_number);

create table chain.reverts (
  transaction_hash bytea not null,
  block_number bigint not null,
  reason text not null,
  constraint reverts_pkey PRIMARY KEY (transaction_hash),
  constraint reverts_transaction_hash_check CHECK (octet_length(transaction_hash) = 32),
  constraint reverts_block_number_fkey FOREIGN KEY (block_number) REFERENCES chain.blocks(number) ON DELETE CASCADE
);
CREATE INDEX reverts_block_number_idx ON chain.reverts USING btree (block_number);

create table chain.undecoded_logs (
  block_number bigint not null,
  log_index bigint not null,
  transaction_hash bytea not null,
  topics bytea[] not null,
  data bytea not null,
  problem text not null,
  constraint undecoded_logs_pkey PRIMARY KEY (block_number, log_index),
  constraint undecoded_logs_block_number_fkey FOREIGN KEY (block_number) REFERENCES chain.blocks(number) ON DELETE CASCADE
);

create schema service;

create table service.api_key_changes (
  id bigint not null,
  at timestamp with time zone not null default now(),
  key_id uuid not null,
  change text not null,
  actor text not null,
  db_user text not null default SESSION_USER,
  details jsonb not null,
  constraint api_key_changes_pkey PRIMARY KEY (id),
  constraint api_key_changes_change_check CHECK (change = ANY (ARRAY['created'::text, 'rotated'::text, 'revoked'::text]))
);
CREATE INDEX api_key_changes_key_id_id_idx ON service.api_key_changes USING btree (key_id, id);

create table service.api_keys (
  id uuid not null,
  tenant text not null,
  name text not null,
  digest bytea not null,
  created_at timestamp with time zone not null default now(),
  revoked_at timestamp with time zone,
  scopes text[] not null default '{read,write}'::text[],
  last_used_at timestamp with time zone,
  previous_digest bytea,
  previous_until timestamp with time zone,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_digest_key UNIQUE (digest),
  constraint api_keys_previous_digest_key UNIQUE (previous_digest),
  constraint api_keys_digest_check CHECK (octet_length(digest) = 32),
  constraint api_keys_previous_check CHECK ((previous_digest IS NULL) = (previous_until IS NULL)),
  constraint api_keys_previous_digest_check CHECK (octet_length(previous_digest) = 32),
  constraint api_keys_scopes_check CHECK (scopes = '{read}'::text[] OR scopes = '{write}'::text[] OR scopes = '{webhooks}'::text[] OR scopes = '{read,write}'::text[] OR scopes = '{read,webhooks}'::text[] OR scopes = '{write,webhooks}'::text[] OR scopes = '{read,write,webhooks}'::text[])
);

create table service.audit (
  id bigint not null,
  at timestamp with time zone not null default clock_timestamp(),
  kind text not null,
  tenant text,
  key_id text,
  issuer text,
  subject text,
  address bytea,
  about text[] not null default '{}'::text[],
  request_id text,
  client text,
  actor text,
  details jsonb,
  constraint audit_pkey PRIMARY KEY (id),
  constraint audit_address_check CHECK (octet_length(address) = 20)
);
CREATE INDEX audit_about_idx ON service.audit USING gin (about);
CREATE INDEX audit_at_idx ON service.audit USING btree (at);
CREATE INDEX audit_issuer_subject_at_idx ON service.audit USING btree (issuer, subject, at) WHERE (subject IS NOT NULL);
CREATE INDEX audit_tenant_at_idx ON service.audit USING btree (tenant, at);

create table service.counters (
  name text not null,
  value bigint not null,
  constraint counters_pkey PRIMARY KEY (name),
  constraint counters_value_check CHECK (value >= 0)
);

create table service.deliveries (
  ordinal bigint not null,
  id uuid not null default gen_random_uuid(),
  webhook_id uuid not null,
  subject bytea not null,
  event_id uuid not null,
  sequence bigint,
  kind text not null,
  at timestamp with time zone not null default now(),
  state text not null default 'waiting'::text,
  ended_at timestamp with time zone,
  constraint deliveries_pkey PRIMARY KEY (ordinal),
  constraint deliveries_id_key UNIQUE (id),
  constraint deliveries_ended_at_check CHECK ((state = 'waiting'::text) = (ended_at IS NULL)),
  constraint deliveries_state_check CHECK (state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'expired'::text])),
  constraint deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES service.webhooks(id) ON DELETE CASCADE
);
CREATE INDEX deliveries_ended_at_idx ON service.deliveries USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX deliveries_waiting_at_idx ON service.deliveries USING btree (at) WHERE (ended_at IS NULL);
CREATE INDEX deliveries_webhook_id_state_ordinal_idx ON service.deliveries USING btree (webhook_id, state, ordinal);
CREATE INDEX deliveries_webhook_id_subject_ordinal_idx ON service.deliveries USING btree (webhook_id, subject, ordinal) WHERE (ended_at IS NULL);

create table service.delivery_attempts (
  delivery bigint not null,
  at timestamp with time zone not null,
  duration integer not null,
  status smallint,
  problem text,
  message text,
  answer text not null,
  constraint delivery_attempts_pkey PRIMARY KEY (delivery, at),
  constraint delivery_attempts_answer_check CHECK (length(answer) <= 1024),
  constraint delivery_attempts_duration_check CHECK (duration >= 0),
  constraint delivery_attempts_problem_check CHECK ((problem IS NULL) = (message IS NULL)),
  constraint delivery_attempts_delivery_fkey FOREIGN KEY (delivery) REFERENCES service.deliveries(ordinal) ON DELETE CASCADE
);

create table service.delivery_cursor (
  only_row boolean not null default true,
  sequence bigint not null default 0,
  constraint delivery_cursor_pkey PRIMARY KEY (only_row),
  constraint delivery_cursor_only_row_check CHECK (only_row)
);

create table service.delivery_lanes (
  webhook_id uuid not null,
  subject bytea not null,
  waiting integer not null,
  due_at timestamp with time zone not null default now(),
  claim uuid,
  failures integer not null default 0,
  failing_since timestamp with time zone,
  constraint delivery_lanes_pkey PRIMARY KEY (webhook_id, subject),
  constraint delivery_lanes_waiting_check CHECK (waiting >= 0),
  constraint delivery_lanes_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES service.webhooks(id) ON DELETE CASCADE
);
CREATE INDEX delivery_lanes_claimed_idx ON service.delivery_lanes USING btree (webhook_id) WHERE (claim IS NOT NULL);
CREATE INDEX delivery_lanes_empty_idx ON service.delivery_lanes USING btree (webhook_id) WHERE (waiting = 0);
CREATE INDEX delivery_lanes_webhook_id_due_at_idx ON service.delivery_lanes USING btree (webhook_id, due_at) WHERE (waiting > 0);

create table service.events (
  ordinal bigint not null,
  sequence bigint,
  id uuid not null default gen_random_uuid(),
  at timestamp with time zone not null default clock_timestamp(),
  kind text not null,
  tenant text,
  issuer text,
  subject text,
  request_id uuid,
  wallet_id uuid,
  asset_id bytea,
  target_id bytea,
  author bytea,
  reason text,
  transaction_hash bytea,
  block_number bigint,
  block_hash bytea,
  block_time bigint,
  details jsonb,
  constraint number_event TRIGGER DEFERRABLE INITIALLY DEFERRED,
  constraint events_pkey PRIMARY KEY (ordinal),
  constraint events_asset_id_check CHECK (octet_length(asset_id) = 32),
  constraint events_author_check CHECK (octet_length(author) = 20),
  constraint events_block_hash_check CHECK (octet_length(block_hash) = 32),
  constraint events_target_id_check CHECK (octet_length(target_id) = 32),
  constraint events_transaction_hash_check CHECK (octet_length(transaction_hash) = 32)
);
CREATE INDEX events_asset_id_sequence_idx ON service.events USING btree (asset_id, sequence) WHERE ((asset_id IS NOT NULL) AND (sequence IS NOT NULL));
CREATE INDEX events_author_sequence_idx ON service.events USING btree (author, sequence) WHERE ((request_id IS NOT NULL) AND (sequence IS NOT NULL));
CREATE INDEX events_issuer_subject_sequence_idx ON service.events USING btree (issuer, subject, sequence) WHERE ((issuer IS NOT NULL) AND (sequence IS NOT NULL));
CREATE INDEX events_request_id_sequence_idx ON service.events USING btree (request_id, sequence) WHERE ((request_id IS NOT NULL) AND (sequence IS NOT NULL));
CREATE UNIQUE INDEX events_sequence_idx ON service.events USING btree (sequence) WHERE (sequence IS NOT NULL);
CREATE INDEX events_target_id_sequence_idx ON service.events USING btree (target_id, sequence) WHERE ((target_id IS NOT NULL) AND (sequence IS NOT NULL));
CREATE INDEX events_tenant_kind_sequence_idx ON service.events USING btree (tenant, kind, sequence) WHERE (sequence IS NOT NULL);
CREATE INDEX events_unnumbered_idx ON service.events USING btree (ordinal) WHERE (sequence IS NULL);

create table service.history (
  request_id uuid not null,
  ordinal integer not null,
  state text not null,
  reason text,
  transaction_hash bytea,
  block_number bigint,
  at timestamp with time zone not null default now(),
  constraint history_pkey PRIMARY KEY (request_id, ordinal),
  constraint history_request_id_fkey FOREIGN KEY (request_id) REFERENCES service.requests(id) ON DELETE CASCADE
);

create table service.idempotency_keys (
  caller bytea not null,
  operation text not null,
  key text not null,
  fingerprint bytea not null,
  status smallint not null,
  body text not null,
  answered_at timestamp with time zone not null default now(),
  constraint idempotency_keys_pkey PRIMARY KEY (caller, operation, key),
  constraint idempotency_keys_caller_check CHECK (octet_length(caller) = 32),
  constraint idempotency_keys_fingerprint_check CHECK (octet_length(fingerprint) = 32),
  constraint idempotency_keys_key_check CHECK (octet_length(key) >= 1 AND octet_length(key) <= 255)
);
CREATE INDEX idempotency_keys_answered_at_idx ON service.idempotency_keys USING btree (answered_at);

create table service.indexer_lease (
  only_row boolean not null default true,
  holder uuid,
  taken_at timestamp with time zone,
  expires_at timestamp with time zone not null default now(),
  blocks_per_second double precision,
  constraint indexer_lease_pkey PRIMARY KEY (only_row),
  constraint indexer_lease_holder_key UNIQUE (holder),
  constraint indexer_lease_only_row_check CHECK (only_row)
);

create table service.indexer_waits (
  work text not null,
  reason text not null,
  problem text not null,
  provider text,
  since timestamp with time zone not null default now(),
  noted_at timestamp with time zone not null default now(),
  constraint indexer_waits_pkey PRIMARY KEY (work)
);

create table service.providers (
  name text not null,
  place integer not null,
  in_use boolean not null,
  up boolean,
  since timestamp with time zone,
  problem text,
  head_block bigint,
  answered bigint not null,
  failed bigint not null,
  noted_at timestamp with time zone not null default now(),
  constraint providers_pkey PRIMARY KEY (name)
);

create unlogged table service.rate_windows (
  subject text not null,
  used bigint not null,
  ends_at timestamp with time zone not null,
  constraint rate_windows_pkey PRIMARY KEY (subject),
  constraint rate_windows_subject_check CHECK (length(subject) <= 200),
  constraint rate_windows_used_check CHECK (used >= 0)
);
CREATE INDEX rate_windows_ends_at_idx ON service.rate_windows USING btree (ends_at);

create table service.relayer (
  only_row boolean not null default true,
  address bytea not null,
  balance numeric(78,0) not null,
  daily_budget numeric(78,0) not null,
  obstacle text,
  seen_at timestamp with time zone not null default now(),
  stuck_nonce bigint,
  stuck_since timestamp with time zone,
  earlier_relayer bytea,
  earlier_under_way integer,
  constraint relayer_pkey PRIMARY KEY (only_row),
  constraint relayer_address_check CHECK (octet_length(address) = 20),
  constraint relayer_earlier_relayer_check CHECK (octet_length(earlier_relayer) = 20),
  constraint relayer_only_row_check CHECK (only_row)
);

create table service.relayer_attempts (
  hash bytea not null,
  relayer bytea not null,
  nonce bigint not null,
  attempt integer not null,
  filler boolean not null,
  raw bytea not null,
  gas numeric(78,0) not null,
  max_fee numeric(78,0) not null,
  priority_fee numeric(78,0),
  sent_block bigint,
  data_fee numeric(78,0) not null default 0,
  constraint relayer_attempts_pkey PRIMARY KEY (hash),
  constraint relayer_attempts_relayer_nonce_attempt_key UNIQUE (relayer, nonce, attempt),
  constraint relayer_attempts_hash_check CHECK (octet_length(hash) = 32),
  constraint relayer_attempts_relayer_nonce_fkey FOREIGN KEY (relayer, nonce) REFERENCES service.relayer_nonces(relayer, nonce) ON DELETE CASCADE
);

create table service.relayer_nonces (
  relayer bytea not null,
  nonce bigint not null,
  request_id uuid,
  tenant text,
  mined_block bigint,
  spent numeric(78,0),
  spent_at timestamp with time zone,
  final boolean not null default false,
  data_fee numeric(78,0),
  planned_at timestamp with time zone not null default now(),
  planned_block bigint,
  constraint relayer_nonces_pkey PRIMARY KEY (relayer, nonce),
  constraint relayer_nonces_nonce_check CHECK (nonce >= 0),
  constraint relayer_nonces_relayer_check CHECK (octet_length(relayer) = 20),
  constraint relayer_nonces_request_id_fkey FOREIGN KEY (request_id) REFERENCES service.requests(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX relayer_nonces_request_id_idx ON service.relayer_nonces USING btree (request_id);
CREATE INDEX relayer_nonces_tenant_spent_at_idx ON service.relayer_nonces USING btree (tenant, spent_at);

create table service.relays (
  request_id uuid not null,
  signature bytea not null,
  estimated_cost numeric(78,0) not null,
  stored_at timestamp with time zone not null default now(),
  next_attempt_at timestamp with time zone not null default now(),
  obstacle text,
  failing_since bigint,
  failures integer not null default 0,
  failing_at timestamp with time zone,
  deadline bigint,
  constraint relays_pkey PRIMARY KEY (request_id),
  constraint relays_estimated_cost_check CHECK (estimated_cost >= 0::numeric),
  constraint relays_request_id_fkey FOREIGN KEY (request_id) REFERENCES service.requests(id) ON DELETE CASCADE
);

create table service.reported_hashes (
  request_id uuid not null,
  hash bytea not null,
  reported_at timestamp with time zone not null default now(),
  next_attempt_at timestamp with time zone not null default now(),
  attempts integer not null default 0,
  constraint reported_hashes_pkey PRIMARY KEY (request_id, hash),
  constraint reported_hashes_hash_check CHECK (octet_length(hash) = 32),
  constraint reported_hashes_request_id_fkey FOREIGN KEY (request_id) REFERENCES service.requests(id) ON DELETE CASCADE
);
CREATE INDEX reported_hashes_reported_at_idx ON service.reported_hashes USING btree (reported_at);
CREATE INDEX reported_hashes_request_id_reported_at_hash_idx ON service.reported_hashes USING btree (request_id, reported_at, hash);

create table service.request_targets (
  request_id uuid not null,
  ordinal integer not null,
  child bytea not null,
  nth integer not null,
  parent bytea,
  constraint request_targets_pkey PRIMARY KEY (request_id, ordinal),
  constraint request_targets_request_id_child_key UNIQUE (request_id, child),
  constraint request_targets_child_check CHECK (octet_length(child) = 32),
  constraint request_targets_nth_check CHECK (nth >= 1),
  constraint request_targets_parent_check CHECK (octet_length(parent) = 32),
  constraint request_targets_request_id_fkey FOREIGN KEY (request_id) REFERENCES service.requests(id) ON DELETE CASCADE
);
CREATE INDEX request_targets_child_idx ON service.request_targets USING btree (child);
CREATE INDEX request_targets_parent_child_idx ON service.request_targets USING btree (parent, child);

create table service.requests (
  id uuid not null,
  tenant text not null,
  kind text not null,
  author bytea not null,
  asset_id bytea not null,
  chain_id bigint not null,
  registry bytea not null,
  calldata bytea not null,
  salt bytea,
  details jsonb,
  content_hash bytea,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  refused_at timestamp with time zone,
  refusal_signature bytea,
  given_up_at timestamp with time zone,
  given_up_reason text,
  settled boolean not null default false,
  noted_state text not null default 'Received'::text,
  name_key text collate "C",
  file_digest bytea,
  link_nonce bytea,
  after_block bigint,
  constraint requests_pkey PRIMARY KEY (id),
  constraint requests_asset_id_check CHECK (octet_length(asset_id) = 32),
  constraint requests_author_check CHECK (octet_length(author) = 20),
  constraint requests_content_hash_check CHECK (octet_length(content_hash) = 32),
  constraint requests_creation_check CHECK ((kind = 'create'::text) = (salt IS NOT NULL AND details IS NOT NULL AND content_hash IS NOT NULL)),
  constraint requests_file_digest_check CHECK (octet_length(file_digest) = 12),
  constraint requests_given_up_check CHECK ((given_up_at IS NULL) = (given_up_reason IS NULL)),
  constraint requests_kind_check CHECK (kind = ANY (ARRAY['create'::text, 'link'::text, 'revoke'::text])),
  constraint requests_link_nonce_check CHECK (octet_length(link_nonce) = 32),
  constraint requests_refusal_check CHECK ((refused_at IS NULL) = (refusal_signature IS NULL)),
  constraint requests_registry_check CHECK (octet_length(registry) = 20),
  constraint requests_salt_check CHECK (octet_length(salt) = 32)
);
CREATE INDEX requests_after_block_idx ON service.requests USING btree (after_block) WHERE (after_block IS NOT NULL);
CREATE INDEX requests_asset_id_idx ON service.requests USING btree (asset_id);
CREATE INDEX requests_asset_id_tenant_idx ON service.requests USING btree (asset_id, tenant) WHERE ((NOT settled) AND (kind <> 'create'::text) AND (noted_state <> 'Committed'::text));
CREATE INDEX requests_author_created_at_id_tenant_idx ON service.requests USING btree (author, created_at, id, tenant);
CREATE INDEX requests_author_idx ON service.requests USING btree (author) WHERE (NOT settled);
CREATE INDEX requests_author_noted_state_created_at_id_tenant_idx ON service.requests USING btree (author, noted_state, created_at, id, tenant);
CREATE INDEX requests_created_at_idx ON service.requests USING btree (created_at) WHERE (NOT settled);
CREATE INDEX requests_expires_at_id_idx ON service.requests USING btree (expires_at, id) WHERE (NOT settled);
CREATE INDEX requests_link_nonce_idx ON service.requests USING btree (link_nonce) WHERE (link_nonce IS NOT NULL);
CREATE INDEX requests_tenant_author_created_at_id_idx ON service.requests USING btree (tenant, author, created_at, id) WHERE ((kind = 'create'::text) AND (NOT (settled AND (noted_state = 'Confirmed'::text))));
CREATE INDEX requests_tenant_created_at_id_creations_idx ON service.requests USING btree (tenant, created_at, id) WHERE ((kind = 'create'::text) AND (NOT (settled AND (noted_state = 'Confirmed'::text))));
CREATE INDEX requests_tenant_created_at_id_idx ON service.requests USING btree (tenant, created_at, id);
CREATE INDEX requests_tenant_file_digest_created_at_id_idx ON service.requests USING btree (tenant, file_digest, created_at, id) WHERE ((kind = 'create'::text) AND (NOT (settled AND (noted_state = 'Confirmed'::text))));
CREATE INDEX requests_tenant_name_key_idx ON service.requests USING btree (tenant, name_key) WHERE ((kind = 'create'::text) AND (NOT (settled AND (noted_state = 'Confirmed'::text))));
CREATE INDEX requests_tenant_noted_state_created_at_id_idx ON service.requests USING btree (tenant, noted_state, created_at, id);

create table service.transactions (
  hash bytea not null,
  request_id uuid not null,
  raw bytea,
  nonce bigint,
  description text,
  stored_at timestamp with time zone not null default now(),
  accepted_at timestamp with time zone,
  next_attempt_at timestamp with time zone not null default now(),
  failures integer not null default 0,
  last_problem text,
  by_author boolean not null default true,
  missing_since timestamp with time zone,
  low_fee_since timestamp with time zone,
  hopeless text,
  rejections integer not null default 0,
  rejected_since timestamp with time zone,
  rejected_block bigint,
  author bytea,
  constraint transactions_pkey PRIMARY KEY (hash, request_id),
  constraint transactions_author_check CHECK (octet_length(author) = 20),
  constraint transactions_hash_check CHECK (octet_length(hash) = 32),
  constraint transactions_request_id_fkey FOREIGN KEY (request_id) REFERENCES service.requests(id) ON DELETE CASCADE
);
CREATE INDEX transactions_author_nonce_idx ON service.transactions USING btree (author, nonce);
CREATE INDEX transactions_request_id_idx ON service.transactions USING btree (request_id);

create table service.wallet_initialisations (
  id uuid not null,
  issuer text not null,
  subject text not null,
  name text not null,
  description text not null,
  token text not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  created_at timestamp with time zone not null default now(),
  constraint wallet_initialisations_pkey PRIMARY KEY (id),
  constraint wallet_initialisations_token_key UNIQUE (token)
);
CREATE INDEX wallet_initialisations_expires_at_idx ON service.wallet_initialisations USING btree (expires_at);
CREATE INDEX wallet_initialisations_issuer_subject_expires_at_idx ON service.wallet_initialisations USING btree (issuer, subject, expires_at) WHERE (used_at IS NULL);

create table service.wallets (
  id uuid not null,
  issuer text not null,
  subject text not null,
  name text not null,
  description text not null,
  address bytea not null,
  connected_at timestamp with time zone not null default now(),
  constraint wallets_pkey PRIMARY KEY (id),
  constraint wallets_address_key UNIQUE (address),
  constraint wallets_address_check CHECK (octet_length(address) = 20)
);
CREATE INDEX wallets_issuer_subject_connected_at_idx ON service.wallets USING btree (issuer, subject, connected_at);

create table service.webhook_progress (
  webhook_id uuid not null,
  "position" bigint,
  failures integer not null default 0,
  failed_at timestamp with time zone,
  resume_at timestamp with time zone,
  wake boolean not null default false,
  constraint webhook_progress_pkey PRIMARY KEY (webhook_id),
  constraint webhook_progress_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES service.webhooks(id) ON DELETE CASCADE
);
CREATE INDEX webhook_progress_position_idx ON service.webhook_progress USING btree ("position") WHERE ("position" IS NOT NULL);
CREATE INDEX webhook_progress_wake_idx ON service.webhook_progress USING btree (webhook_id) WHERE wake;

create table service.webhooks (
  id uuid not null,
  tenant text not null,
  url text not null,
  description text not null,
  kinds text[] not null,
  asset_id bytea,
  state text not null default 'active'::text,
  reason text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  secret text not null,
  previous_secret text,
  previous_until timestamp with time zone,
  after_sequence bigint not null,
  failing_since timestamp with time zone,
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_after_sequence_check CHECK (after_sequence >= 0),
  constraint webhooks_asset_id_check CHECK (octet_length(asset_id) = 32),
  constraint webhooks_kinds_check CHECK (cardinality(kinds) > 0),
  constraint webhooks_previous_check CHECK ((previous_secret IS NULL) = (previous_until IS NULL)),
  constraint webhooks_reason_check CHECK ((state = 'active'::text) = (reason IS NULL)),
  constraint webhooks_state_check CHECK (state = ANY (ARRAY['active'::text, 'paused'::text, 'ended'::text, 'removed'::text]))
);
CREATE INDEX webhooks_removed_idx ON service.webhooks USING btree (id) WHERE (state = 'removed'::text);
CREATE INDEX webhooks_tenant_created_at_id_idx ON service.webhooks USING btree (tenant, created_at, id);

CREATE OR REPLACE FUNCTION service.audit_key_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into service.audit (at, kind, tenant, key_id, actor, details)
  values (new.at, 'key.' || new.change,
    coalesce(new.details->>'tenant', (select tenant from service.api_keys where id = new.key_id)),
    new.key_id::text, new.actor, new.details);
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION service.begin_deliveries()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into service.webhook_progress (webhook_id, position) values (new.id, new.after_sequence);
    return null;
  end if;
  update service.webhook_progress set failures = 0, resume_at = null, wake = true,
    position = case when new.after_sequence <> old.after_sequence then new.after_sequence else position end
  where webhook_id = new.id;
  update service.delivery_lanes set due_at = pg_catalog.now(), failures = 0, failing_since = null
  where webhook_id = new.id and failures > 0;
  perform pg_catalog.pg_notify('events', '');
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION service.fill_author()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.author := (select author from service.requests where id = new.request_id);
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION service.fill_parent()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.parent := (select asset_id from service.requests where id = new.request_id);
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION service.number_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from service.events where ordinal = new.ordinal and sequence is null)
    and pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended('service.events', 0))
  then
    perform service.number_visible_events();
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION service.number_events()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not exists (select from service.events where sequence is null) then return; end if;
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('service.events', 0));
  -- Another may just have done it.
  if exists (select from service.events where sequence is null) then perform service.number_visible_events(); end if;
end
$function$;

CREATE OR REPLACE FUNCTION service.number_visible_events()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update service.events event
  set sequence = last.sequence + unnumbered.nth
  from (select coalesce(max(sequence), 0) as sequence from service.events where sequence is not null) last,
    (select ordinal, row_number() over (order by ordinal) as nth from service.events where sequence is null) unnumbered
  where event.ordinal = unnumbered.ordinal;
  -- To wake readers; the log is what counts.
  perform pg_catalog.pg_notify('events', '');
end
$function$;

CREATE OR REPLACE FUNCTION service.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'The log % is only added to: % is refused', tg_table_name, tg_op
    using errcode = 'insufficient_privilege';
end
$function$;

CREATE OR REPLACE FUNCTION service.refuse_event_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.sequence is null and new.sequence is not null then return new; end if;
  raise exception 'The log events is only added to: % is refused', tg_op using errcode = 'insufficient_privilege';
end
$function$;

CREATE OR REPLACE FUNCTION service.refuse_removal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.at > now() - interval '30 days' then
    raise exception 'The log % is only added to: a row of the last 30 days is not removed', tg_table_name
      using errcode = 'insufficient_privilege';
  end if;
  return old;
end
$function$;

CREATE OR REPLACE FUNCTION service.tell_key_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  notify api_keys;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION service.tell_states()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into service.events (at, kind, tenant, request_id, asset_id, author, reason, transaction_hash,
    block_number, block_hash, block_time)
  select entry.at, 'request.' || entry.state, request.tenant, request.id, request.asset_id, request.author, entry.reason,
    entry.transaction_hash, entry.block_number, block.hash, block.timestamp
  from entries entry
  join service.requests request on request.id = entry.request_id
  left join chain.blocks block on block.number = entry.block_number
  order by entry.at, entry.request_id, entry.ordinal;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION service.tell_wallets()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into service.events (kind, issuer, subject, wallet_id, author, details)
  select case tg_op when 'INSERT' then 'wallet.connected' else 'wallet.removed' end, issuer, subject, id, address,
    pg_catalog.jsonb_build_object('name', name, 'description', description)
  from changed;
  return null;
end
$function$;

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON service.api_key_changes FOR EACH STATEMENT EXECUTE FUNCTION service.refuse_change();

CREATE TRIGGER audit_key_change AFTER INSERT ON service.api_key_changes FOR EACH ROW EXECUTE FUNCTION service.audit_key_change();

CREATE TRIGGER tell_key_change AFTER DELETE OR UPDATE OF tenant, digest, previous_digest, previous_until, scopes, revoked_at ON service.api_keys FOR EACH STATEMENT EXECUTE FUNCTION service.tell_key_change();

CREATE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON service.audit FOR EACH STATEMENT EXECUTE FUNCTION service.refuse_change();

CREATE TRIGGER keep_recent BEFORE DELETE ON service.audit FOR EACH ROW EXECUTE FUNCTION service.refuse_removal();

CREATE TRIGGER append_only BEFORE UPDATE ON service.events FOR EACH ROW EXECUTE FUNCTION service.refuse_event_change();

CREATE TRIGGER keep_all BEFORE TRUNCATE ON service.events FOR EACH STATEMENT EXECUTE FUNCTION service.refuse_change();

CREATE TRIGGER keep_recent BEFORE DELETE ON service.events FOR EACH ROW EXECUTE FUNCTION service.refuse_removal();

CREATE CONSTRAINT TRIGGER number_event AFTER INSERT ON service.events DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION service.number_event();

CREATE TRIGGER tell_states AFTER INSERT ON service.history REFERENCING NEW TABLE AS entries FOR EACH STATEMENT EXECUTE FUNCTION service.tell_states();

CREATE TRIGGER fill_parent BEFORE INSERT ON service.request_targets FOR EACH ROW EXECUTE FUNCTION service.fill_parent();

CREATE TRIGGER fill_author BEFORE INSERT ON service.transactions FOR EACH ROW EXECUTE FUNCTION service.fill_author();

CREATE TRIGGER tell_connected AFTER INSERT ON service.wallets REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION service.tell_wallets();

CREATE TRIGGER tell_removed AFTER DELETE ON service.wallets REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION service.tell_wallets();

CREATE TRIGGER begin_deliveries AFTER INSERT ON service.webhooks FOR EACH ROW EXECUTE FUNCTION service.begin_deliveries();

CREATE TRIGGER resume_deliveries AFTER UPDATE OF state, url ON service.webhooks FOR EACH ROW WHEN (((new.state = 'active'::text) AND ((old.state <> 'active'::text) OR (old.url <> new.url)))) EXECUTE FUNCTION service.begin_deliveries();
