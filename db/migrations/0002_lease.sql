-- Which indexer writes. One row, in `service`, because it must outlive a rebuild of `chain`.
create table service.indexer_lease (
  only_row boolean primary key default true check (only_row),
  -- The process that holds it; null while nobody does. Unique only so that it counts as a key: then a
  -- heartbeat, which leaves it alone, goes on beside transactions that hold the row `for key share`, and a
  -- takeover, which changes it, waits for them.
  holder uuid unique,
  taken_at timestamptz,
  -- By the clock of the database, the only one that all processes share.
  expires_at timestamptz not null default now(),
  -- How fast the holder comes on, as it measured last; null while it follows the head.
  blocks_per_second double precision
);
insert into service.indexer_lease default values;

-- What the indexers have counted since the database was made, for /metrics.
create table service.counters (
  name text primary key,
  value bigint not null check (value >= 0)
);
