-- How much of a rate limit all API processes together have used, for each caller in its window. Unlogged: it is
-- worth nothing after a crash of the database, and writing it costs little so.

create unlogged table service.rate_windows (
  -- Limit and caller: a key's id, or a network address.
  subject text primary key check (length(subject) <= 200),
  used bigint not null check (used >= 0),
  ends_at timestamptz not null
);
