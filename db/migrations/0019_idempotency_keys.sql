-- Answers to changes that carried an Idempotency-Key; the same request again gets the same answer. A row is
-- written in the transaction of the change itself, so a crash leaves both or neither.
create table service.idempotency_keys (
  -- SHA-256 of who asked: API key and user.
  caller bytea not null check (octet_length(caller) = 32),
  operation text not null,
  key text not null check (octet_length(key) between 1 and 255),
  -- SHA-256 of method, path and body.
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  status smallint not null,
  body text not null,
  answered_at timestamptz not null default now(),
  primary key (caller, operation, key)
);
create index on service.idempotency_keys (answered_at);
