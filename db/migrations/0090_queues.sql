-- The newest reported hashes of a request, and those that have been reported too long ago.
create index on service.transaction_hints (request_id, reported_at, hash);
create index on service.transaction_hints (reported_at);

-- Open requests by the time at which they expire: they are noted in batches, however many expire together.
create index on service.requests (expires_at, id) where not settled;
