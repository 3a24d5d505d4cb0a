-- Looks in a row by which a transaction would be given up: the node refused it for good, or did not have it. Only
-- several of them, spread over time and begun at a block that is final, end a request.
alter table service.transactions
  add column refusals integer not null default 0,
  add column refused_since timestamptz,
  -- Where the index stood at the first of them.
  add column refused_block bigint;
alter table service.relays
  add column failures integer not null default 0,
  add column failing_at timestamptz;
