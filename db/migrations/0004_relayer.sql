-- The gasless way: authors sign typed data, and an account of the operator, the relayer, sends it. Amounts in wei.

-- The relayer that works, as the indexer that writes says; no row: none does.
create table service.relayer (
  only_row boolean primary key default true check (only_row),
  address bytea not null check (octet_length(address) = 20),
  balance numeric(78) not null,
  daily_budget numeric(78) not null,
  problem text,
  seen_at timestamptz not null default now()
);

-- Authors' signatures, each checked before it was stored. What they are over follows from the request.
create table service.relays (
  request_id uuid primary key references service.requests on delete cascade,
  signature bytea not null,
  -- Counts against the tenant's budget until a transaction is planned.
  estimated_cost numeric(78) not null check (estimated_cost >= 0),
  stored_at timestamptz not null default now(),
  next_look_at timestamptz not null default now(),
  -- Why it waits.
  problem text,
  -- The head at which the registry began to refuse the call.
  failing_since bigint
);

-- What each nonce of a relayer is for, written before anything is sent with it.
create table service.relayer_nonces (
  relayer bytea not null check (octet_length(relayer) = 20),
  nonce bigint not null check (nonce >= 0),
  -- Null where it only fills a gap.
  request_id uuid references service.requests on delete cascade,
  tenant text,
  mined_block bigint,
  spent numeric(78),
  spent_at timestamptz,
  -- Its block is final: nothing more is expected.
  final boolean not null default false,
  primary key (relayer, nonce)
);
-- Two nonces for one request could both be executed.
create unique index on service.relayer_nonces (request_id);
create index on service.relayer_nonces (tenant, spent_at);

-- The transactions that were signed with a nonce: the first, and each that replaces the one before.
create table service.relayer_attempts (
  hash bytea primary key check (octet_length(hash) = 32),
  relayer bytea not null,
  nonce bigint not null,
  attempt integer not null,
  -- Sends nothing to nobody, only to use the nonce up.
  filler boolean not null,
  raw bytea not null,
  gas numeric(78) not null,
  max_fee numeric(78) not null,
  -- Null on a chain without a base fee.
  priority_fee numeric(78),
  -- The head when a node took it last.
  sent_block bigint,
  unique (relayer, nonce, attempt),
  foreign key (relayer, nonce) references service.relayer_nonces on delete cascade
);
