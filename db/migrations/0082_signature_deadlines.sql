-- Until when the registry takes a stored signature, in seconds since 1970; null: until its request expires.
alter table service.relays add column deadline bigint;
