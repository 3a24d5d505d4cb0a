-- When the links from an asset changed last is one row of this index, or of the one of the links that stand.
create index on chain.links (parent, revoked_block) where revoked_block is not null;
