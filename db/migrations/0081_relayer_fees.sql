-- A rollup charges for a transaction's data beside its gas: what that is expected to be, and what it was.
alter table service.relayer_attempts add column data_fee numeric(78) not null default 0;
alter table service.relayer_nonces
  add column data_fee numeric(78),
  -- Since when, and from which block on, a nonce is to be mined.
  add column planned_at timestamptz not null default now(),
  add column planned_block bigint;
-- The nonce that holds up all later ones.
alter table service.relayer
  add column stuck_nonce bigint,
  add column stuck_since timestamptz;
