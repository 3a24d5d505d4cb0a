-- What a block, a reorg or a request concerns is found from its own side, however many requests there have been.

-- The author of a transaction's request beside its nonce: a reorg that takes back nonces concerns few of them.
alter table service.transactions add column author bytea check (octet_length(author) = 20);
update service.transactions sent set author = request.author
  from service.requests request where request.id = sent.request_id;
create function service.fill_author() returns trigger language plpgsql as $$
begin
  new.author := (select author from service.requests where id = new.request_id);
  return new;
end
$$;
create trigger fill_author before insert on service.transactions
  for each row execute function service.fill_author();
create index on service.transactions (author, nonce);

-- The parent of a request's links beside each child: a change of one pair concerns few requests.
alter table service.request_targets add column parent bytea check (octet_length(parent) = 32);
update service.request_targets target set parent = request.asset_id
  from service.requests request where request.id = target.request_id;
create function service.fill_parent() returns trigger language plpgsql as $$
begin
  new.parent := (select asset_id from service.requests where id = new.request_id);
  return new;
end
$$;
create trigger fill_parent before insert on service.request_targets
  for each row execute function service.fill_parent();
create index on service.request_targets (parent, child);

-- Anybody may void signatures that are not theirs, in vain: theirs are passed over.
create index on chain.cancellations (author, subject, block_number);
drop index if exists chain.cancellations_subject_idx;
