-- Of a link change: the newest block of the index when it was asked for. Nothing in it or before it can have
-- carried the request out: the same call may have been mined for an earlier one. Null: not known.
alter table service.requests add column after_block bigint;
create index on service.requests (after_block) where after_block is not null;
