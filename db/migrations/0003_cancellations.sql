-- Signatures for the registry that their author voided on the chain: of a creation by the id of its asset, of a
-- link change by its nonce.
create table chain.cancellations (
  author bytea not null check (octet_length(author) = 20),
  -- The id or the nonce, as the event names it.
  subject bytea not null check (octet_length(subject) = 32),
  block_number bigint not null references chain.blocks on delete cascade,
  transaction_index bigint not null,
  log_index bigint not null,
  transaction_hash bytea not null check (octet_length(transaction_hash) = 32),
  primary key (block_number, log_index)
);
create index on chain.cancellations (subject);

-- False where somebody else than the author sends the transaction, as the relayer does: then its nonce says
-- nothing about the author.
alter table service.transactions add column by_author boolean not null default true;
