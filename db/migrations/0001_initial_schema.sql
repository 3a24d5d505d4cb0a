-- Two schemas. `chain` holds what the chain says, and can be dropped and filled again from it. `service` holds what
-- only this service knows: requests, signatures, wallets, API keys.
--
-- Addresses have 20 bytes, ids and hashes 32, digests of files 12. Amounts are in wei. Indexes that serve lists end with
-- the order of the list, so that a page is read from one place.

create schema chain;

-- Blocks that the index needs. Every other row of this schema refers to the block that it was read from, so deleting
-- blocks undoes a reorg.
create table chain.blocks (
  number bigint not null,
  hash bytea not null,
  parent_hash bytea not null,
  -- In seconds since 1970, as the chain counts them.
  timestamp bigint not null,
  constraint blocks_pkey primary key (number),
  constraint blocks_hash_key unique (hash),
  constraint blocks_number_check check (number >= 0),
  constraint blocks_hash_check check (octet_length(hash) = 32),
  constraint blocks_parent_hash_check check (octet_length(parent_hash) = 32),
  constraint blocks_timestamp_check check (timestamp >= 0)
);
create index blocks_timestamp_number_idx on chain.blocks (timestamp, number);

-- The position of the index: which registry on which chain, and up to which block. One row.
create table chain.cursor (
  only_row boolean not null default true,
  chain_id bigint not null,
  registry bytea not null,
  start_block bigint not null,
  -- Everything up to this block is in the tables; start_block - 1 before the first.
  block_number bigint not null,
  block_hash bytea,
  -- The newest final block, at most block_number; -1 while there is none.
  final_number bigint not null default -1,
  -- CONFIRMATIONS as the indexer applies it: a number, or null for the chain's `finalized` tag.
  confirmations bigint,
  -- The newest block that the node reported, and when.
  head_number bigint not null,
  head_seen_at timestamptz not null default now(),
  -- Why the indexer stopped, where only an operator can continue.
  halted_reason text,
  constraint cursor_pkey primary key (only_row),
  constraint cursor_only_row_check check (only_row),
  constraint cursor_registry_check check (octet_length(registry) = 20),
  constraint cursor_block_hash_check check (octet_length(block_hash) = 32)
);

-- Assets, one row for each creation event.
create table chain.assets (
  id bytea not null,
  author bytea not null,
  salt bytea not null,
  -- hashStruct(Asset) of the event's content, which the id commits to. Computed once, when the row is written, so
  -- that a row which was changed later no longer matches it.
  content_hash bytea not null,
  name text not null,
  data text not null,
  file_name text not null,
  file_type text not null,
  file_size text not null,
  method text not null,
  hash text not null,
  uri text not null,
  -- These eight texts as the chain holds them, ABI-encoded as bytes[] in this order; null where the columns hold each of
  -- them exactly.
  raw_details bytea,
  block_number bigint not null,
  transaction_index bigint not null,
  log_index bigint not null,
  transaction_hash bytea not null,
  -- Search keys: the normalised name, and the digest of method and hash.
  name_key text collate "C" not null,
  file_digest bytea,
  constraint assets_pkey primary key (id),
  constraint assets_block_number_fkey foreign key (block_number) references chain.blocks on delete cascade,
  constraint assets_id_check check (octet_length(id) = 32),
  constraint assets_author_check check (octet_length(author) = 20),
  constraint assets_salt_check check (octet_length(salt) = 32),
  constraint assets_content_hash_check check (octet_length(content_hash) = 32),
  constraint assets_transaction_hash_check check (octet_length(transaction_hash) = 32),
  constraint assets_file_digest_check check (octet_length(file_digest) = 12)
);
create index assets_block_number_log_index_idx on chain.assets (block_number, log_index);
create index assets_author_block_number_log_index_idx on chain.assets (author, block_number, log_index);
create index assets_name_key_idx on chain.assets (name_key);
create index assets_string_to_array_idx on chain.assets using gin (string_to_array(name_key, ' '));
create index assets_file_digest_block_number_log_index_idx on chain.assets (file_digest, block_number, log_index)
  where file_digest is not null;

-- Links, one row for each time that a parent was linked to a child: the nth. Links of a pair are added and revoked in
-- turn, so the newest row of a pair says whether it is linked.
create table chain.links (
  parent bytea not null,
  child bytea not null,
  nth integer not null,
  block_number bigint not null,
  transaction_index bigint not null,
  log_index bigint not null,
  transaction_hash bytea not null,
  -- Null while the link is in force; then the other three mean nothing.
  revoked_block bigint,
  revoked_transaction_index bigint,
  revoked_log_index bigint,
  revoked_transaction_hash bytea,
  constraint links_pkey primary key (parent, child, nth),
  constraint links_block_number_fkey foreign key (block_number) references chain.blocks on delete cascade,
  constraint links_revoked_block_fkey foreign key (revoked_block) references chain.blocks on delete set null,
  constraint links_parent_check check (octet_length(parent) = 32),
  constraint links_child_check check (octet_length(child) = 32),
  constraint links_nth_check check (nth >= 1),
  constraint links_transaction_hash_check check (octet_length(transaction_hash) = 32),
  constraint links_revoked_transaction_hash_check check (octet_length(revoked_transaction_hash) = 32)
);
create index links_block_number_idx on chain.links (block_number);
create index links_revoked_block_idx on chain.links (revoked_block);
-- The links in force of an asset are read from the index alone.
create index links_child_block_number_log_index_parent_idx on chain.links (child, block_number, log_index)
  include (parent) where revoked_block is null;
create index links_parent_block_number_log_index_child_idx on chain.links (parent, block_number, log_index)
  include (child) where revoked_block is null;
-- Revoked links, in their order; the newest of a parent says when it lost its last link.
create index links_child_revoked_block_idx on chain.links (child, revoked_block) where revoked_block is not null;
create index links_parent_revoked_block_idx on chain.links (parent, revoked_block) where revoked_block is not null;

-- Signatures that their author cancelled on the chain: of a creation by the asset's id, of a link change by its nonce.
create table chain.cancellations (
  author bytea not null,
  -- The id or the nonce, as the event names it.
  subject bytea not null,
  block_number bigint not null,
  transaction_index bigint not null,
  log_index bigint not null,
  transaction_hash bytea not null,
  constraint cancellations_pkey primary key (block_number, log_index),
  constraint cancellations_block_number_fkey foreign key (block_number) references chain.blocks on delete cascade,
  constraint cancellations_author_check check (octet_length(author) = 20),
  constraint cancellations_subject_check check (octet_length(subject) = 32),
  constraint cancellations_transaction_hash_check check (octet_length(transaction_hash) = 32)
);
-- The author comes first: anybody may cancel subjects of others, without effect.
create index cancellations_author_subject_block_number_idx on chain.cancellations (author, subject, block_number);

-- The nonces of accounts: how many transactions an account had sent at the end of a block.
create table chain.nonces (
  address bytea not null,
  block_number bigint not null,
  nonce bigint not null,
  constraint nonces_pkey primary key (address, block_number),
  constraint nonces_block_number_fkey foreign key (block_number) references chain.blocks on delete cascade,
  constraint nonces_address_check check (octet_length(address) = 20)
);
create index nonces_block_number_idx on chain.nonces (block_number);
-- The first block at which a nonce had been used.
create index nonces_address_nonce_block_number_idx on chain.nonces (address, nonce, block_number);

-- Transactions that were mined and reverted.
create table chain.reverts (
  transaction_hash bytea not null,
  block_number bigint not null,
  reason text not null,
  constraint reverts_pkey primary key (transaction_hash),
  constraint reverts_block_number_fkey foreign key (block_number) references chain.blocks on delete cascade,
  constraint reverts_transaction_hash_check check (octet_length(transaction_hash) = 32)
);
create index reverts_block_number_idx on chain.reverts (block_number);

-- Logs of the registry that could not be decoded, set aside so that they do not stop the index.
create table chain.undecoded_logs (
  block_number bigint not null,
  log_index bigint not null,
  transaction_hash bytea not null,
  topics bytea[] not null,
  data bytea not null,
  problem text not null,
  constraint undecoded_logs_pkey primary key (block_number, log_index),
  constraint undecoded_logs_block_number_fkey foreign key (block_number) references chain.blocks on delete cascade
);

create schema service;

-- Requests ---------------------------------------------------------------------------------------------------------

-- Requests for a change on the chain: creations of assets, additions and revocations of links.
create table service.requests (
  id uuid not null,
  tenant text not null,
  kind text not null,
  author bytea not null,
  -- The asset to create, or the parent of the links.
  asset_id bytea not null,
  chain_id bigint not null,
  registry bytea not null,
  calldata bytea not null,
  -- Of a creation only: what its id commits to, and the content.
  salt bytea,
  details jsonb,
  -- As in chain.assets, of the requested content.
  content_hash bytea,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- The author's signed refusal.
  refused_at timestamptz,
  refusal_signature bytea,
  -- Why the service stopped trying.
  given_up_at timestamptz,
  given_up_reason text,
  -- Nothing more is expected of it: it is final, or was given up without a transaction under way. It becomes false
  -- again where the chain proves otherwise. A cache, too: `isSettled` in the domain decides it.
  settled boolean not null default false,
  -- A cache of the derived state, for lists to filter by: the state of the newest row of service.history. No state
  -- is read from it.
  noted_state text not null default 'Received',
  -- Of a creation only: search keys, as in chain.assets.
  name_key text collate "C",
  file_digest bytea,
  -- Of a link change only: the nonce that its author signs for another account to send.
  link_nonce bytea,
  -- Of a link change only: the newest indexed block when it was requested; null where nothing was indexed. Nothing up to
  -- this block can have carried it out, though the same call may have been mined there for an earlier request.
  after_block bigint,
  constraint requests_pkey primary key (id),
  constraint requests_kind_check check (kind in ('create', 'link', 'revoke')),
  constraint requests_author_check check (octet_length(author) = 20),
  constraint requests_asset_id_check check (octet_length(asset_id) = 32),
  constraint requests_registry_check check (octet_length(registry) = 20),
  constraint requests_salt_check check (octet_length(salt) = 32),
  constraint requests_content_hash_check check (octet_length(content_hash) = 32),
  constraint requests_file_digest_check check (octet_length(file_digest) = 12),
  constraint requests_link_nonce_check check (octet_length(link_nonce) = 32),
  constraint requests_creation_check
    check ((kind = 'create') = (salt is not null and details is not null and content_hash is not null)),
  constraint requests_refusal_check check ((refused_at is null) = (refusal_signature is null)),
  constraint requests_given_up_check check ((given_up_at is null) = (given_up_reason is null))
);
create index requests_asset_id_idx on service.requests (asset_id);
create index requests_link_nonce_idx on service.requests (link_nonce) where link_nonce is not null;
create index requests_after_block_idx on service.requests (after_block) where after_block is not null;
-- What is still open: by author, by age, by expiry, and the changes of an asset's links that a tenant has open.
create index requests_author_idx on service.requests (author) where not settled;
create index requests_created_at_idx on service.requests (created_at) where not settled;
create index requests_expires_at_id_idx on service.requests (expires_at, id) where not settled;
create index requests_asset_id_tenant_idx on service.requests (asset_id, tenant)
  where not settled and kind <> 'create' and noted_state <> 'Committed';
-- Lists of requests. The tenant at the end lets the index itself leave out requests of others for the same author.
create index requests_tenant_created_at_id_idx on service.requests (tenant, created_at, id);
create index requests_tenant_noted_state_created_at_id_idx on service.requests (tenant, noted_state, created_at, id);
create index requests_author_created_at_id_tenant_idx on service.requests (author, created_at, id, tenant);
create index requests_author_noted_state_created_at_id_tenant_idx
  on service.requests (author, noted_state, created_at, id, tenant);
-- Lists of assets: creations that may not be on the chain, which are all but those that are confirmed for good.
create index requests_tenant_created_at_id_creations_idx on service.requests (tenant, created_at, id)
  where kind = 'create' and not (settled and noted_state = 'Confirmed');
create index requests_tenant_author_created_at_id_idx on service.requests (tenant, author, created_at, id)
  where kind = 'create' and not (settled and noted_state = 'Confirmed');
create index requests_tenant_file_digest_created_at_id_idx on service.requests (tenant, file_digest, created_at, id)
  where kind = 'create' and not (settled and noted_state = 'Confirmed');
create index requests_tenant_name_key_idx on service.requests (tenant, name_key)
  where kind = 'create' and not (settled and noted_state = 'Confirmed');

-- The children of a link change: it adds, or revokes, the nth link of each pair.
create table service.request_targets (
  request_id uuid not null,
  ordinal integer not null,
  child bytea not null,
  nth integer not null,
  -- A copy of the request's asset_id: a change of one pair on the chain then concerns few rows.
  parent bytea,
  constraint request_targets_pkey primary key (request_id, ordinal),
  constraint request_targets_request_id_child_key unique (request_id, child),
  constraint request_targets_request_id_fkey foreign key (request_id) references service.requests on delete cascade,
  constraint request_targets_child_check check (octet_length(child) = 32),
  constraint request_targets_nth_check check (nth >= 1),
  constraint request_targets_parent_check check (octet_length(parent) = 32)
);
create index request_targets_child_idx on service.request_targets (child);
create index request_targets_parent_child_idx on service.request_targets (parent, child);

create function service.fill_parent() returns trigger language plpgsql as $$
begin
  new.parent := (select asset_id from service.requests where id = new.request_id);
  return new;
end
$$;
create trigger fill_parent before insert on service.request_targets
  for each row execute function service.fill_parent();

-- Transactions of a request: signed ones that the service sends, and ones that were seen on the chain.
create table service.transactions (
  hash bytea not null,
  request_id uuid not null,
  -- The signed transaction; null where the author's wallet sends it and only its hash is known.
  raw bytea,
  nonce bigint,
  description text,
  stored_at timestamptz not null default now(),
  -- When the node first had it.
  accepted_at timestamptz,
  -- When to send it next, or to ask whether the node still has it.
  next_attempt_at timestamptz not null default now(),
  -- Consecutive attempts that failed, and why the last did.
  failures integer not null default 0,
  last_problem text,
  -- False where another account than the author sends it, as the relayer does: its nonce then says nothing about the
  -- author.
  by_author boolean not null default true,
  -- Since when the node does not have it.
  missing_since timestamptz,
  -- Since when its fee is below the chain's base fee.
  low_fee_since timestamptz,
  -- Why it is not sent any more.
  hopeless text,
  -- Consecutive attempts at which the node rejected it for good or did not have it, since when, and at which block of the
  -- index. Several of them, spread over time and begun at a block that is final by now, end the request.
  rejections integer not null default 0,
  rejected_since timestamptz,
  rejected_block bigint,
  -- A copy of the request's author: a reorg that takes back nonces then concerns few rows.
  author bytea,
  -- One transaction may serve two requests for the same change.
  constraint transactions_pkey primary key (hash, request_id),
  constraint transactions_request_id_fkey foreign key (request_id) references service.requests on delete cascade,
  constraint transactions_hash_check check (octet_length(hash) = 32),
  constraint transactions_author_check check (octet_length(author) = 20)
);
create index transactions_request_id_idx on service.transactions (request_id);
create index transactions_author_nonce_idx on service.transactions (author, nonce);

create function service.fill_author() returns trigger language plpgsql as $$
begin
  new.author := (select author from service.requests where id = new.request_id);
  return new;
end
$$;
create trigger fill_author before insert on service.transactions
  for each row execute function service.fill_author();

-- Transaction hashes that callers reported for a request: shown and looked up, never trusted.
create table service.reported_hashes (
  request_id uuid not null,
  hash bytea not null,
  reported_at timestamptz not null default now(),
  -- When to ask the node about it next, and how often it did not know it.
  next_attempt_at timestamptz not null default now(),
  attempts integer not null default 0,
  constraint reported_hashes_pkey primary key (request_id, hash),
  constraint reported_hashes_request_id_fkey foreign key (request_id) references service.requests on delete cascade,
  constraint reported_hashes_hash_check check (octet_length(hash) = 32)
);
create index reported_hashes_request_id_reported_at_hash_idx
  on service.reported_hashes (request_id, reported_at, hash);
create index reported_hashes_reported_at_idx on service.reported_hashes (reported_at);

-- The states that each request was seen in, in order: a record for people. No state is read from it.
create table service.history (
  request_id uuid not null,
  ordinal integer not null,
  state text not null,
  reason text,
  transaction_hash bytea,
  block_number bigint,
  at timestamptz not null default now(),
  constraint history_pkey primary key (request_id, ordinal),
  constraint history_request_id_fkey foreign key (request_id) references service.requests on delete cascade
);

-- Relayer ----------------------------------------------------------------------------------------------------------
-- Authors sign typed data, and an account of the operator, the relayer, sends it and pays the fees.

-- Authors' signatures to relay, each checked before it was stored. What they sign follows from the request.
create table service.relays (
  request_id uuid not null,
  signature bytea not null,
  -- Counts against the tenant's budget until a transaction is planned.
  estimated_cost numeric(78) not null,
  stored_at timestamptz not null default now(),
  next_attempt_at timestamptz not null default now(),
  -- Why it waits: a code of domain/relayer/problem.ts, or the reason by which its request would end.
  obstacle text,
  -- The head at which the registry began to reject the call.
  failing_since bigint,
  -- Consecutive attempts at which it could not be sent, and when the first of them was.
  failures integer not null default 0,
  failing_at timestamptz,
  -- Until when the registry takes the signature, in seconds since 1970; null: until the request expires.
  deadline bigint,
  constraint relays_pkey primary key (request_id),
  constraint relays_request_id_fkey foreign key (request_id) references service.requests on delete cascade,
  constraint relays_estimated_cost_check check (estimated_cost >= 0)
);

-- The relayer of the indexer that holds the lease; no row where there is none.
create table service.relayer (
  only_row boolean not null default true,
  address bytea not null,
  balance numeric(78) not null,
  daily_budget numeric(78) not null,
  -- Why all signatures wait, by a code of domain/relayer/problem.ts.
  obstacle text,
  seen_at timestamptz not null default now(),
  -- The nonce that holds up all later ones, and since when.
  stuck_nonce bigint,
  stuck_since timestamptz,
  -- An earlier relayer whose transactions are not all mined, and their number.
  earlier_relayer bytea,
  earlier_under_way integer,
  constraint relayer_pkey primary key (only_row),
  constraint relayer_only_row_check check (only_row),
  constraint relayer_address_check check (octet_length(address) = 20),
  constraint relayer_earlier_relayer_check check (octet_length(earlier_relayer) = 20)
);

-- What each nonce of a relayer is used for, written before anything is sent with it.
create table service.relayer_nonces (
  relayer bytea not null,
  nonce bigint not null,
  -- Null where it only fills a gap.
  request_id uuid,
  tenant text,
  mined_block bigint,
  spent numeric(78),
  spent_at timestamptz,
  -- Its block is final: nothing more is expected.
  final boolean not null default false,
  -- What a rollup charged for the transaction's data, beside gas.
  data_fee numeric(78),
  -- Since when, and from which block on, the nonce should be mined.
  planned_at timestamptz not null default now(),
  planned_block bigint,
  constraint relayer_nonces_pkey primary key (relayer, nonce),
  constraint relayer_nonces_request_id_fkey foreign key (request_id) references service.requests on delete cascade,
  constraint relayer_nonces_relayer_check check (octet_length(relayer) = 20),
  constraint relayer_nonces_nonce_check check (nonce >= 0)
);
-- Two nonces for one request could both be mined.
create unique index relayer_nonces_request_id_idx on service.relayer_nonces (request_id);
create index relayer_nonces_tenant_spent_at_idx on service.relayer_nonces (tenant, spent_at);

-- Transactions that were signed with a nonce of the relayer: the first, and each replacement.
create table service.relayer_attempts (
  hash bytea not null,
  relayer bytea not null,
  nonce bigint not null,
  attempt integer not null,
  -- An empty transaction that only uses the nonce up.
  filler boolean not null,
  raw bytea not null,
  gas numeric(78) not null,
  max_fee numeric(78) not null,
  -- Null on a chain without a base fee.
  priority_fee numeric(78),
  -- The head when a node last accepted it.
  sent_block bigint,
  -- What a rollup is expected to charge for the transaction's data, beside gas.
  data_fee numeric(78) not null default 0,
  constraint relayer_attempts_pkey primary key (hash),
  constraint relayer_attempts_relayer_nonce_attempt_key unique (relayer, nonce, attempt),
  constraint relayer_attempts_relayer_nonce_fkey foreign key (relayer, nonce) references service.relayer_nonces
    on delete cascade,
  constraint relayer_attempts_hash_check check (octet_length(hash) = 32)
);

-- Callers ----------------------------------------------------------------------------------------------------------

-- Logs that are only added to: each has a trigger that refuses other changes.
create function service.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'The log % is only added to: % is refused', tg_table_name, tg_op
    using errcode = 'insufficient_privilege';
end
$$;

-- API keys. Only digests are stored: a key itself is shown once, when it is made.
create table service.api_keys (
  id uuid not null,
  tenant text not null,
  name text not null,
  -- SHA-256 of the key.
  digest bytea not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  scopes text[] not null default '{read,write}',
  last_used_at timestamptz,
  -- The digest before the last rotation, while both are valid.
  previous_digest bytea,
  previous_until timestamptz,
  constraint api_keys_pkey primary key (id),
  constraint api_keys_digest_key unique (digest),
  constraint api_keys_previous_digest_key unique (previous_digest),
  constraint api_keys_digest_check check (octet_length(digest) = 32),
  constraint api_keys_previous_digest_check check (octet_length(previous_digest) = 32),
  constraint api_keys_previous_check check ((previous_digest is null) = (previous_until is null)),
  constraint api_keys_scopes_check check (
    scopes in ('{read}', '{write}', '{webhooks}', '{read,write}', '{read,webhooks}', '{write,webhooks}',
      '{read,write,webhooks}'))
);

-- Every API that listens looks its keys up again.
create function service.tell_key_change() returns trigger language plpgsql as $$
begin
  notify api_keys;
  return null;
end $$;
create trigger tell_key_change
  after update of tenant, digest, previous_digest, previous_until, scopes, revoked_at or delete on service.api_keys
  for each statement execute function service.tell_key_change();

-- Changes of API keys, only added to. Without a foreign key, so that the log outlives the keys.
create table service.api_key_changes (
  id bigint generated always as identity,
  at timestamptz not null default now(),
  key_id uuid not null,
  change text not null,
  -- User and host of the operating system, as the command reports them.
  actor text not null,
  -- The database role that wrote the row.
  db_user text not null default session_user,
  details jsonb not null,
  constraint api_key_changes_pkey primary key (id),
  constraint api_key_changes_change_check check (change in ('created', 'rotated', 'revoked'))
);
create index api_key_changes_key_id_id_idx on service.api_key_changes (key_id, id);
create trigger append_only before update or delete or truncate on service.api_key_changes
  for each statement execute function service.refuse_change();

-- The audit log, only added to: who requested, answered or changed what, written in the transaction of the change.
-- Holds no secrets. Rows older than 30 days may be deleted.
create table service.audit (
  id bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  kind text not null,
  tenant text,
  -- The id of an API key in the database, or the name of a configured one.
  key_id text,
  -- The user of an identity token.
  issuer text,
  subject text,
  -- The author or the wallet concerned.
  address bytea,
  -- Ids of the assets, transactions and wallets concerned.
  about text[] not null default '{}',
  -- X-Request-Id, and the network that the request came from.
  request_id text,
  client text,
  -- Of a change by a command: who ran it, and what it changed.
  actor text,
  details jsonb,
  constraint audit_pkey primary key (id),
  constraint audit_address_check check (octet_length(address) = 20)
);
create index audit_at_idx on service.audit (at);
create index audit_tenant_at_idx on service.audit (tenant, at);
create index audit_issuer_subject_at_idx on service.audit (issuer, subject, at) where subject is not null;
create index audit_about_idx on service.audit using gin (about);
create trigger append_only before update or truncate on service.audit
  for each statement execute function service.refuse_change();

create function service.refuse_removal() returns trigger language plpgsql as $$
begin
  if old.at > now() - interval '30 days' then
    raise exception 'The log % is only added to: a row of the last 30 days is not removed', tg_table_name
      using errcode = 'insufficient_privilege';
  end if;
  return old;
end
$$;
create trigger keep_recent before delete on service.audit
  for each row execute function service.refuse_removal();

-- Copies each change of a key into the audit log, whichever role makes it.
create function service.audit_key_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into service.audit (at, kind, tenant, key_id, actor, details)
  values (new.at, 'key.' || new.change,
    coalesce(new.details->>'tenant', (select tenant from service.api_keys where id = new.key_id)),
    new.key_id::text, new.actor, new.details);
  return new;
end
$$;
create trigger audit_key_change after insert on service.api_key_changes
  for each row execute function service.audit_key_change();

-- Wallets that users of identity tokens have connected.
create table service.wallets (
  id uuid not null,
  issuer text not null,
  subject text not null,
  name text not null,
  description text not null,
  address bytea not null,
  connected_at timestamptz not null default now(),
  constraint wallets_pkey primary key (id),
  constraint wallets_address_key unique (address),
  constraint wallets_address_check check (octet_length(address) = 20)
);
create index wallets_issuer_subject_connected_at_idx on service.wallets (issuer, subject, connected_at);

-- Wallets that users have begun to connect and not yet proved to control.
create table service.wallet_initialisations (
  -- Also the id of the wallet that it becomes.
  id uuid not null,
  issuer text not null,
  subject text not null,
  name text not null,
  description text not null,
  token text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null default now(),
  constraint wallet_initialisations_pkey primary key (id),
  constraint wallet_initialisations_token_key unique (token)
);
create index wallet_initialisations_expires_at_idx on service.wallet_initialisations (expires_at);
create index wallet_initialisations_issuer_subject_expires_at_idx
  on service.wallet_initialisations (issuer, subject, expires_at) where used_at is null;

-- Answers to requests with an Idempotency-Key, which the same request gets again. Written in the transaction of the
-- change, so that a crash leaves both or neither.
create table service.idempotency_keys (
  -- SHA-256 of API key and user.
  caller bytea not null,
  operation text not null,
  key text not null,
  -- SHA-256 of method, path and body.
  fingerprint bytea not null,
  status smallint not null,
  body text not null,
  answered_at timestamptz not null default now(),
  constraint idempotency_keys_pkey primary key (caller, operation, key),
  constraint idempotency_keys_caller_check check (octet_length(caller) = 32),
  constraint idempotency_keys_key_check check (octet_length(key) between 1 and 255),
  constraint idempotency_keys_fingerprint_check check (octet_length(fingerprint) = 32)
);
create index idempotency_keys_answered_at_idx on service.idempotency_keys (answered_at);

-- How much of a rate limit each caller has used in its window, over all API processes. Unlogged: cheap to write, and
-- of no value after a crash of the database.
create unlogged table service.rate_windows (
  -- Limit and caller: a key's id, or a network address.
  subject text not null,
  used bigint not null,
  ends_at timestamptz not null,
  constraint rate_windows_pkey primary key (subject),
  constraint rate_windows_subject_check check (length(subject) <= 200),
  constraint rate_windows_used_check check (used >= 0)
);
create index rate_windows_ends_at_idx on service.rate_windows (ends_at);

-- Events -----------------------------------------------------------------------------------------------------------

-- The event log: everything that callers are told of, written in the transaction of what it tells of, only added to.
-- Readers read on from the last sequence number that they have seen. Events older than EVENT_DAYS are removed.
create table service.events (
  -- The order of writing, which is not that of the commits.
  ordinal bigint generated always as identity,
  -- The order in which readers see events, without gaps: null until `number_event` or `number_events` sets it.
  sequence bigint,
  id uuid not null default gen_random_uuid(),
  at timestamptz not null default clock_timestamp(),
  -- A kind of domain/events/kinds.ts.
  kind text not null,
  -- Who is told beside the readers of the chain: the tenant of a request, or the user of a wallet.
  tenant text,
  issuer text,
  subject text,
  -- What it is about. Of a link: asset_id is its parent, target_id its child.
  request_id uuid,
  wallet_id uuid,
  asset_id bytea,
  target_id bytea,
  -- The author of the asset or request, or the address of the wallet.
  author bytea,
  -- Why a request has the state that `kind` names.
  reason text,
  transaction_hash bytea,
  block_number bigint,
  block_hash bytea,
  -- Seconds since 1970.
  block_time bigint,
  -- Texts of an asset or wallet, as they were.
  details jsonb,
  constraint events_pkey primary key (ordinal),
  constraint events_asset_id_check check (octet_length(asset_id) = 32),
  constraint events_target_id_check check (octet_length(target_id) = 32),
  constraint events_author_check check (octet_length(author) = 20),
  constraint events_transaction_hash_check check (octet_length(transaction_hash) = 32),
  constraint events_block_hash_check check (octet_length(block_hash) = 32)
);
create unique index events_sequence_idx on service.events (sequence) where sequence is not null;
create index events_unnumbered_idx on service.events (ordinal) where sequence is null;
create index events_tenant_kind_sequence_idx on service.events (tenant, kind, sequence) where sequence is not null;
create index events_request_id_sequence_idx on service.events (request_id, sequence)
  where request_id is not null and sequence is not null;
create index events_author_sequence_idx on service.events (author, sequence)
  where request_id is not null and sequence is not null;
create index events_asset_id_sequence_idx on service.events (asset_id, sequence)
  where asset_id is not null and sequence is not null;
create index events_target_id_sequence_idx on service.events (target_id, sequence)
  where target_id is not null and sequence is not null;
create index events_issuer_subject_sequence_idx on service.events (issuer, subject, sequence)
  where issuer is not null and sequence is not null;

-- Numbers events that are visible or of this transaction, in the order of writing: of two changes of one thing, that is
-- the order of the commits, because the second waits for the first before it writes. Whoever calls it holds the lock of
-- the numbering, which lasts until the commit is visible. So numbers become visible in their order, and whoever has read
-- up to a number has missed none below it.
create function service.number_visible_events() returns void
  language plpgsql security definer set search_path = '' as $$
begin
  update service.events event
  set sequence = last.sequence + unnumbered.nth
  from (select coalesce(max(sequence), 0) as sequence from service.events where sequence is not null) last,
    (select ordinal, row_number() over (order by ordinal) as nth from service.events where sequence is null) unnumbered
  where event.ordinal = unnumbered.ordinal;
  -- To wake readers; the log is what counts.
  perform pg_catalog.pg_notify('events', '');
end
$$;
revoke execute on function service.number_visible_events() from public;

-- Numbers the events of a transaction within its COMMIT, and what others left. Where another commit is at it, it leaves
-- them to the next one or to a reader instead of waiting: commits that wait for each other are written to disk one by one.
create function service.number_event() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if exists (select from service.events where ordinal = new.ordinal and sequence is null)
    and pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended('service.events', 0))
  then
    perform service.number_visible_events();
  end if;
  return null;
end
$$;
create constraint trigger number_event after insert on service.events deferrable initially deferred
  for each row execute function service.number_event();

-- Numbers what commits have left. Readers call it before they read.
create function service.number_events() returns void
  language plpgsql security definer set search_path = '' as $$
begin
  if not exists (select from service.events where sequence is null) then return; end if;
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('service.events', 0));
  -- Another may just have done it.
  if exists (select from service.events where sequence is null) then perform service.number_visible_events(); end if;
end
$$;

create function service.refuse_event_change() returns trigger language plpgsql as $$
begin
  if old.sequence is null and new.sequence is not null then return new; end if;
  raise exception 'The log events is only added to: % is refused', tg_op using errcode = 'insufficient_privilege';
end
$$;
create trigger append_only before update on service.events
  for each row execute function service.refuse_event_change();
create trigger keep_all before truncate on service.events
  for each statement execute function service.refuse_change();
create trigger keep_recent before delete on service.events
  for each row execute function service.refuse_removal();

-- Tells of each state of a request.
create function service.tell_states() returns trigger
  language plpgsql security definer set search_path = '' as $$
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
$$;
create trigger tell_states after insert on service.history referencing new table as entries
  for each statement execute function service.tell_states();

-- Tells a user of their wallets.
create function service.tell_wallets() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into service.events (kind, issuer, subject, wallet_id, author, details)
  select case tg_op when 'INSERT' then 'wallet.connected' else 'wallet.removed' end, issuer, subject, id, address,
    pg_catalog.jsonb_build_object('name', name, 'description', description)
  from changed;
  return null;
end
$$;
create trigger tell_connected after insert on service.wallets referencing new table as changed
  for each statement execute function service.tell_wallets();
create trigger tell_removed after delete on service.wallets referencing old table as changed
  for each statement execute function service.tell_wallets();

-- Webhooks ---------------------------------------------------------------------------------------------------------

-- Receivers of events, as tenants have registered them.
create table service.webhooks (
  id uuid not null,
  tenant text not null,
  url text not null,
  description text not null,
  -- Which events are sent: these kinds, and of this asset only where one is named.
  kinds text[] not null,
  asset_id bytea,
  -- `paused`: events are kept for it, and sent once it is active again. `ended`: none are. `removed`: it exists for nobody,
  -- and is deleted in batches with its deliveries, of which there may be millions.
  state text not null default 'active',
  -- Why it is paused or ended: a code of domain/webhooks/state.ts.
  reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Signs what is sent, so it is stored as it is, and shown once.
  secret text not null,
  -- Signs too, until then.
  previous_secret text,
  previous_until timestamptz,
  -- Events up to this sequence number are not sent: the end of the log when the webhook was made or began anew.
  after_sequence bigint not null,
  -- Since when no delivery has succeeded; null where the last one did.
  failing_since timestamptz,
  constraint webhooks_pkey primary key (id),
  constraint webhooks_kinds_check check (cardinality(kinds) > 0),
  constraint webhooks_asset_id_check check (octet_length(asset_id) = 32),
  constraint webhooks_state_check check (state in ('active', 'paused', 'ended', 'removed')),
  constraint webhooks_reason_check check ((state = 'active') = (reason is null)),
  constraint webhooks_previous_check check ((previous_secret is null) = (previous_until is null)),
  constraint webhooks_after_sequence_check check (after_sequence >= 0)
);
create index webhooks_tenant_created_at_id_idx on service.webhooks (tenant, created_at, id);
create index webhooks_removed_idx on service.webhooks (id) where state = 'removed';

-- Up to where events are queued for all webhooks that are not behind. One row, locked by the process that queues.
create table service.delivery_cursor (
  only_row boolean not null default true,
  sequence bigint not null default 0,
  constraint delivery_cursor_pkey primary key (only_row),
  constraint delivery_cursor_only_row_check check (only_row)
);
insert into service.delivery_cursor default values;

-- How far the deliveries of each webhook are, and how its receiver does.
create table service.webhook_progress (
  webhook_id uuid not null,
  -- Events after this sequence number are still to be queued; null where that is the cursor's. A webhook that is paused or
  -- failing stays behind, so that what it waits for is kept once, in the log of events.
  position bigint,
  -- Times in a row that its receiver failed, counted once for attempts that ran at the same time.
  failures integer not null default 0,
  failed_at timestamptz,
  -- After failures: nothing is sent until then, and one attempt at a time from then on. Null where all is well.
  resume_at timestamptz,
  -- Whether a process is to look at it although no event was queued.
  wake boolean not null default false,
  constraint webhook_progress_pkey primary key (webhook_id),
  constraint webhook_progress_webhook_id_fkey foreign key (webhook_id) references service.webhooks (id) on delete cascade
);
create index webhook_progress_position_idx on service.webhook_progress (position) where position is not null;
create index webhook_progress_wake_idx on service.webhook_progress (webhook_id) where wake;

-- The queues of a webhook, one for each subject, an asset or else an event by itself: what is in one goes out in order.
create table service.delivery_lanes (
  webhook_id uuid not null,
  -- The id of the asset, or of the event.
  subject bytea not null,
  -- Deliveries in it; those without any are removed later.
  waiting integer not null,
  -- When the first of them may be tried; while a process tries it, when another may take it over.
  due_at timestamptz not null default now(),
  -- Of the process that tries it.
  claim uuid,
  -- Failed attempts of the first delivery in it, and since when.
  failures integer not null default 0,
  failing_since timestamptz,
  constraint delivery_lanes_pkey primary key (webhook_id, subject),
  constraint delivery_lanes_webhook_id_fkey foreign key (webhook_id) references service.webhooks (id) on delete cascade,
  constraint delivery_lanes_waiting_check check (waiting >= 0)
);
create index delivery_lanes_webhook_id_due_at_idx on service.delivery_lanes (webhook_id, due_at) where waiting > 0;
create index delivery_lanes_claimed_idx on service.delivery_lanes (webhook_id) where claim is not null;
create index delivery_lanes_empty_idx on service.delivery_lanes (webhook_id) where waiting = 0;

-- What is sent to a webhook: an event, once for each time that it was queued.
create table service.deliveries (
  -- The order of sending in its lane.
  ordinal bigint generated always as identity,
  id uuid not null default gen_random_uuid(),
  webhook_id uuid not null,
  subject bytea not null,
  event_id uuid not null,
  -- Null for a test, which is not in the log of events.
  sequence bigint,
  kind text not null,
  -- When it was queued.
  at timestamptz not null default now(),
  -- `waiting`, `delivered`, or `expired`: the event left the log before.
  state text not null default 'waiting',
  ended_at timestamptz,
  constraint deliveries_pkey primary key (ordinal),
  constraint deliveries_id_key unique (id),
  constraint deliveries_webhook_id_fkey foreign key (webhook_id) references service.webhooks (id) on delete cascade,
  constraint deliveries_state_check check (state in ('waiting', 'delivered', 'expired')),
  constraint deliveries_ended_at_check check ((state = 'waiting') = (ended_at is null))
);
create index deliveries_webhook_id_subject_ordinal_idx on service.deliveries (webhook_id, subject, ordinal)
  where ended_at is null;
create index deliveries_webhook_id_state_ordinal_idx on service.deliveries (webhook_id, state, ordinal);
create index deliveries_waiting_at_idx on service.deliveries (at) where ended_at is null;
create index deliveries_ended_at_idx on service.deliveries (ended_at) where ended_at is not null;

-- Attempts to deliver.
create table service.delivery_attempts (
  delivery bigint not null,
  at timestamptz not null,
  duration integer not null, -- milliseconds
  status smallint,
  -- Why it failed: a code of api/deliveries/outcome.ts and a sentence; null where the receiver accepted it.
  problem text,
  message text,
  -- The first bytes of the answer.
  answer text not null,
  constraint delivery_attempts_pkey primary key (delivery, at),
  constraint delivery_attempts_delivery_fkey foreign key (delivery) references service.deliveries (ordinal) on delete cascade,
  constraint delivery_attempts_duration_check check (duration >= 0),
  constraint delivery_attempts_problem_check check ((problem is null) = (message is null)),
  constraint delivery_attempts_answer_check check (length(answer) <= 1024)
);

-- Lets the deliveries of a webhook begin: at its first event, and where it goes on when it is active again, or at once
-- where it has another URL.
create function service.begin_deliveries() returns trigger
  language plpgsql set search_path = '' as $$
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
$$;
create trigger begin_deliveries after insert on service.webhooks
  for each row execute function service.begin_deliveries();
create trigger resume_deliveries after update of state, url on service.webhooks
  for each row when (new.state = 'active' and (old.state <> 'active' or old.url <> new.url))
  execute function service.begin_deliveries();

-- Indexer ----------------------------------------------------------------------------------------------------------
-- What indexers share with each other and show to the API. Not in `chain`, since it must outlive a rebuild of it.

-- Which indexer may write. One row.
create table service.indexer_lease (
  only_row boolean not null default true,
  -- The process that holds the lease; null while none does.
  holder uuid,
  taken_at timestamptz,
  -- By the clock of the database, the only one that all processes share.
  expires_at timestamptz not null default now(),
  -- The holder's last measured speed; null while it follows the head.
  blocks_per_second double precision,
  constraint indexer_lease_pkey primary key (only_row),
  constraint indexer_lease_only_row_check check (only_row),
  -- Unique only so that PostgreSQL takes it for a key: a heartbeat, which does not change it, then runs beside
  -- transactions that hold the row `for key share`, and a takeover, which does, waits for them.
  constraint indexer_lease_holder_key unique (holder)
);
insert into service.indexer_lease default values;

-- What the indexer waits for.
create table service.indexer_waits (
  work text not null,
  reason text not null,
  problem text not null,
  provider text,
  since timestamptz not null default now(),
  noted_at timestamptz not null default now(),
  constraint indexer_waits_pkey primary key (work)
);

-- The providers of RPC_URL as the indexer last found them.
create table service.providers (
  name text not null,
  place integer not null,
  in_use boolean not null,
  up boolean,
  since timestamptz,
  problem text,
  head_block bigint,
  answered bigint not null,
  failed bigint not null,
  noted_at timestamptz not null default now(),
  constraint providers_pkey primary key (name)
);

-- Counters of all indexers since the database was made, for /metrics.
create table service.counters (
  name text not null,
  value bigint not null,
  constraint counters_pkey primary key (name),
  constraint counters_value_check check (value >= 0)
);
