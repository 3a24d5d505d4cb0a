-- What the service saw of a transaction under way: since when the node has not had it, since when its fee is
-- under the chain's base fee, and why it is not sent any more.
alter table service.transactions
  add column missing_since timestamptz,
  add column low_fee_since timestamptz,
  add column hopeless text;
