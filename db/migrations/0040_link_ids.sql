-- What an asset is linked with is read from an index alone: the rows of its links lie all over the table. An index that
-- is being filled has neither (db/late-parts.ts).
create index on chain.links (child, block_number, log_index) include (parent) where revoked_block is null;
create index on chain.links (parent, block_number, log_index) include (child) where revoked_block is null;
drop index if exists chain.links_child_block_number_log_index_idx;
drop index if exists chain.links_parent_block_number_log_index_idx;
