-- How far the search keys of each table have been brought to the form of a newer version; the indexer does it in
-- the background. Of a table without a row nothing has been done since the keys' first form.

create table service.search_key_renewals (
  relation text primary key check (relation in ('chain.assets', 'service.requests')),
  -- `searchKeysVersion` of the code that does it.
  version integer not null check (version > 0),
  -- Id of the last row that was looked at; null before the first.
  last_id text,
  done boolean not null default false
);
