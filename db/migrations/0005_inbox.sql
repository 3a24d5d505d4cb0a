-- The state that each request was seen in last, as the newest row of its history: for lists to be searched by.
-- No state is read from it.
alter table service.requests add column noted_state text not null default 'Received';
update service.requests request set noted_state = newest.state
from (
  select distinct on (request_id) request_id, state from service.history order by request_id, ordinal desc
) newest
where newest.request_id = request.id and newest.state <> 'Received';

drop index service.requests_tenant_created_at_idx;
create index on service.requests (tenant, created_at, id);
create index on service.requests (tenant, noted_state, created_at, id);
-- The tenant at the end lets the index itself leave out what others ask of the same author.
create index on service.requests (author, created_at, id, tenant);
create index on service.requests (author, noted_state, created_at, id, tenant);
