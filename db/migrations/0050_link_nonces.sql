-- The nonce of a link change that its author signs for somebody else to send. Null of a creation, and of a link change
-- from before: the id of the request stands in its nonce, and it may have been signed.
alter table service.requests add column link_nonce bytea check (octet_length(link_nonce) = 32);
create index on service.requests (link_nonce) where link_nonce is not null;
