-- What an API key may do, when it was used last, the secret that a rotation lets run out, and who changed it.

alter table service.api_keys
  add column scopes text[] not null default '{read,write}'
    check (scopes in ('{read}', '{write}', '{read,write}')),
  add column last_used_at timestamptz,
  -- The secret before the last rotation, while the two overlap.
  add column previous_digest bytea unique check (octet_length(previous_digest) = 32),
  add column previous_until timestamptz,
  add check ((previous_digest is null) = (previous_until is null));

-- Names no key by reference, so that the log outlives whatever happens to the keys.
create table service.api_key_changes (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  key_id uuid not null,
  change text not null check (change in ('created', 'rotated', 'revoked')),
  -- User and host of the operating system, as the command gives them.
  actor text not null,
  -- The database's own witness of who wrote it.
  db_user text not null default session_user,
  details jsonb not null
);
create index on service.api_key_changes (key_id, id);

create function service.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'The log % is only added to: % is refused', tg_table_name, tg_op
    using errcode = 'insufficient_privilege';
end
$$;

create trigger append_only before update or delete or truncate on service.api_key_changes
  for each statement execute function service.refuse_change();
