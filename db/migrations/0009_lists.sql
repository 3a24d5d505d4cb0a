-- What assets are listed and searched by. Each index ends with the order of its list, so that a page is read
-- from one place of it, however many rows there are.

-- Normal forms of name, and of method and hash: domain/search-keys.ts. The next migration fills them.
alter table chain.assets add column name_key text collate "C", add column file_digest bytea
  check (octet_length(file_digest) = 12);
alter table service.requests add column name_key text collate "C", add column file_digest bytea
  check (octet_length(file_digest) = 12);

drop index chain.assets_block_number_idx;
create index on chain.assets (block_number, log_index);
drop index chain.assets_author_block_number_log_index_idx;
create index on chain.assets (author, block_number, log_index);
create index on chain.assets (file_digest, block_number, log_index) where file_digest is not null;

create index on chain.blocks (timestamp, number);

-- Links that stand, in the order of linking, and when a parent lost its last one.
drop index chain.links_child_parent_idx;
create index on chain.links (child, block_number, log_index) where revoked_block is null;
create index on chain.links (parent, block_number, log_index) where revoked_block is null;

-- Creations that may not be on the chain: all but those that were settled there. Which they are for good,
-- the chain's own table says.
create index on service.requests (tenant, created_at, id)
  where kind = 'create' and not (settled and noted_state = 'Confirmed');
create index on service.requests (tenant, author, created_at, id)
  where kind = 'create' and not (settled and noted_state = 'Confirmed');
create index on service.requests (tenant, file_digest, created_at, id)
  where kind = 'create' and not (settled and noted_state = 'Confirmed');
create index on service.requests (tenant, name_key)
  where kind = 'create' and not (settled and noted_state = 'Confirmed');
