-- What the chain says. Everything in schema `chain` can be dropped and rebuilt from the chain. Every fact
-- hangs on the block that it was read from, so deleting blocks is the rollback of a reorg.
create schema chain;

create table chain.blocks (
  number bigint primary key check (number >= 0),
  hash bytea not null unique check (octet_length(hash) = 32),
  parent_hash bytea not null check (octet_length(parent_hash) = 32),
  -- Seconds since 1970, as the chain counts them.
  timestamp bigint not null check (timestamp >= 0)
);

-- How far the index is, and of which registry on which chain. One row.
create table chain.cursor (
  only_row boolean primary key default true check (only_row),
  chain_id bigint not null,
  registry bytea not null check (octet_length(registry) = 20),
  start_block bigint not null,
  -- Everything up to this block is in the tables; start_block - 1 before the first.
  block_number bigint not null,
  block_hash bytea check (octet_length(block_hash) = 32),
  -- The newest block that is final, at most block_number; -1 while none is.
  final_number bigint not null default -1,
  -- CONFIRMATIONS as the indexer applies it: a number, or null for the chain's `finalized` tag.
  confirmations bigint,
  -- The newest block that the node named, and when.
  head_number bigint not null,
  head_seen_at timestamptz not null default now(),
  -- Why the indexer stopped writing, when only an operator can go on.
  halted_reason text
);

create table chain.assets (
  id bytea primary key check (octet_length(id) = 32),
  author bytea not null check (octet_length(author) = 20),
  salt bytea not null check (octet_length(salt) = 32),
  -- hashStruct(Asset) of what the chain brought, as the id commits to it. Computed once, when the row is
  -- written, so that a row which was changed later no longer agrees with it.
  content_hash bytea not null check (octet_length(content_hash) = 32),
  name text not null,
  data text not null,
  file_name text not null,
  file_type text not null,
  file_size text not null,
  method text not null,
  hash text not null,
  uri text not null,
  -- The texts as the chain holds them, ABI-encoded as bytes[] in this order, kept where a column cannot hold one exactly.
  raw_details bytea,
  block_number bigint not null references chain.blocks on delete cascade,
  transaction_index bigint not null,
  log_index bigint not null,
  transaction_hash bytea not null check (octet_length(transaction_hash) = 32)
);
create index on chain.assets (block_number);
create index on chain.assets (author, block_number desc, log_index desc);

-- The nth time that a parent was linked to a child. The registry lets adding and revoking only take turns,
-- so the newest row of a pair says whether its link stands.
create table chain.links (
  parent bytea not null check (octet_length(parent) = 32),
  child bytea not null check (octet_length(child) = 32),
  nth integer not null check (nth >= 1),
  block_number bigint not null references chain.blocks on delete cascade,
  transaction_index bigint not null,
  log_index bigint not null,
  transaction_hash bytea not null check (octet_length(transaction_hash) = 32),
  -- Null while the link stands. The columns behind it mean something only when it is set.
  revoked_block bigint references chain.blocks on delete set null,
  revoked_transaction_index bigint,
  revoked_log_index bigint,
  revoked_transaction_hash bytea check (octet_length(revoked_transaction_hash) = 32),
  primary key (parent, child, nth)
);
create index on chain.links (child, parent);
create index on chain.links (block_number);
create index on chain.links (revoked_block);

-- Transactions that a block executed in vain.
create table chain.reverts (
  transaction_hash bytea primary key check (octet_length(transaction_hash) = 32),
  block_number bigint not null references chain.blocks on delete cascade,
  reason text not null
);
create index on chain.reverts (block_number);

-- The number of transactions that an account had sent at the end of a block.
create table chain.nonces (
  address bytea not null check (octet_length(address) = 20),
  block_number bigint not null references chain.blocks on delete cascade,
  nonce bigint not null,
  primary key (address, block_number)
);
create index on chain.nonces (block_number);

-- Logs of the registry that could not be read, set aside so that they stop nothing.
create table chain.undecoded_logs (
  block_number bigint not null references chain.blocks on delete cascade,
  log_index bigint not null,
  transaction_hash bytea not null,
  topics bytea[] not null,
  data bytea not null,
  problem text not null,
  primary key (block_number, log_index)
);

-- What only this service knows: requests, signatures, wallets, keys.
create schema service;

create table service.requests (
  id uuid primary key,
  tenant text not null,
  kind text not null check (kind in ('create', 'link', 'revoke')),
  author bytea not null check (octet_length(author) = 20),
  -- The asset to create, or the parent of the links.
  asset_id bytea not null check (octet_length(asset_id) = 32),
  chain_id bigint not null,
  registry bytea not null check (octet_length(registry) = 20),
  calldata bytea not null,
  -- Of a creation: what the id commits to.
  salt bytea check (octet_length(salt) = 32),
  details jsonb,
  -- As in chain.assets, of what was asked for.
  content_hash bytea check (octet_length(content_hash) = 32),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- The author's signed refusal.
  refused_at timestamptz,
  refusal_signature bytea,
  -- Why the service stopped trying.
  given_up_at timestamptz,
  given_up_reason text,
  -- Final, or given up without a transaction under way: nothing is expected of it. The chain may still
  -- prove otherwise, and then it is unsettled again.
  settled boolean not null default false,
  check ((kind = 'create') = (salt is not null and details is not null and content_hash is not null)),
  check ((refused_at is null) = (refusal_signature is null)),
  check ((given_up_at is null) = (given_up_reason is null))
);
create index on service.requests (asset_id);
create index on service.requests (tenant, created_at desc);
create index on service.requests (author) where not settled;
create index on service.requests (created_at) where not settled;

-- The children that a request links or unlinks: it makes, or revokes, the nth link of the pair.
create table service.request_targets (
  request_id uuid not null references service.requests on delete cascade,
  ordinal integer not null,
  child bytea not null check (octet_length(child) = 32),
  nth integer not null check (nth >= 1),
  primary key (request_id, ordinal),
  unique (request_id, child)
);
create index on service.request_targets (child);

-- Transactions on behalf of a request: signed ones that the service sends, and ones seen on the chain.
create table service.transactions (
  hash bytea not null check (octet_length(hash) = 32),
  request_id uuid not null references service.requests on delete cascade,
  -- The signed transaction; null where the author's wallet sends it and only its hash is known.
  raw bytea,
  nonce bigint,
  description text,
  stored_at timestamptz not null default now(),
  -- The node has it, or had it.
  accepted_at timestamptz,
  -- When to look after it next: send it, or see that the node still has it.
  next_look_at timestamptz not null default now(),
  looks integer not null default 0,
  last_problem text,
  -- One transaction may serve two requests for the same change.
  primary key (hash, request_id)
);
create index on service.transactions (request_id);

-- Hashes that somebody reported for a request: shown and looked at, never believed.
create table service.transaction_hints (
  request_id uuid not null references service.requests on delete cascade,
  hash bytea not null check (octet_length(hash) = 32),
  reported_at timestamptz not null default now(),
  -- When to ask the node about it next, and how often that came to nothing.
  next_look_at timestamptz not null default now(),
  looks integer not null default 0,
  primary key (request_id, hash)
);

-- The states that a request was seen in, in order. A record for people: no state is read from it.
create table service.history (
  request_id uuid not null references service.requests on delete cascade,
  ordinal integer not null,
  state text not null,
  reason text,
  transaction_hash bytea,
  block_number bigint,
  at timestamptz not null default now(),
  primary key (request_id, ordinal)
);

create table service.wallets (
  id uuid primary key,
  issuer text not null,
  subject text not null,
  name text not null,
  description text not null,
  address bytea not null unique check (octet_length(address) = 20),
  connected_at timestamptz not null default now()
);
create index on service.wallets (issuer, subject, connected_at);

create table service.wallet_initialisations (
  -- Also the id of the wallet that it becomes.
  id uuid primary key,
  issuer text not null,
  subject text not null,
  name text not null,
  description text not null,
  token text not null unique,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null default now()
);
create index on service.wallet_initialisations (expires_at);

create table service.api_keys (
  id uuid primary key,
  tenant text not null,
  name text not null,
  -- SHA-256 of the key; the key itself is shown once and kept nowhere.
  digest bytea not null unique check (octet_length(digest) = 32),
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
