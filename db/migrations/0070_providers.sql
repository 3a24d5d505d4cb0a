-- What the indexer waits for, and how each provider of its RPC_URL does: written by the indexer, shown by the API.
create table service.indexer_waits (
  work text primary key,
  reason text not null,
  problem text not null,
  provider text,
  since timestamptz not null default now(),
  noted_at timestamptz not null default now()
);

create table service.providers (
  name text primary key,
  place integer not null,
  in_use boolean not null,
  up boolean,
  since timestamptz,
  problem text,
  head_block bigint,
  answered bigint not null,
  failed bigint not null,
  noted_at timestamptz not null default now()
);
