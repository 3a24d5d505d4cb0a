-- Who asked for, answered or changed what: one row for each, in the transaction of the change. Secrets are in none.
create table service.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  kind text not null,
  tenant text,
  -- Of a key in the database its id.
  key_id text,
  -- The user of an identity token.
  issuer text,
  subject text,
  -- Of the author or the wallet that it is about.
  address bytea check (octet_length(address) = 20),
  -- Ids of assets, transactions, wallets.
  about text[] not null default '{}',
  -- X-Request-Id, and the network that the request came from.
  request_id text,
  client text,
  -- Of a change by a command: who ran it, and what it was.
  actor text,
  details jsonb
);
create index on service.audit (at);
create index on service.audit (tenant, at);
create index on service.audit (issuer, subject, at) where subject is not null;
create index on service.audit using gin (about);

-- Added to only. What is older than a month may be removed, and nothing be changed.
create trigger append_only before update or truncate on service.audit
  for each statement execute function service.refuse_change();
create function service.refuse_removal() returns trigger language plpgsql as $$
begin
  if old.at > now() - interval '30 days' then
    raise exception 'The log % is only added to: a row of the last 30 days is not removed', tg_table_name
      using errcode = 'insufficient_privilege';
  end if;
  return old;
end
$$;
create trigger keep_recent before delete on service.audit
  for each row execute function service.refuse_removal();

-- Changes of keys stand in the trail too, whoever makes them.
create function service.audit_key_change() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into service.audit (at, kind, tenant, key_id, actor, details)
  values (new.at, 'key.' || new.change,
    coalesce(new.details->>'tenant', (select tenant from service.api_keys where id = new.key_id)),
    new.key_id::text, new.actor, new.details);
  return new;
end
$$;
create trigger audit_key_change after insert on service.api_key_changes
  for each row execute function service.audit_key_change();
