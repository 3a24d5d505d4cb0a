-- How many initialisations of wallets a user has open.
create index on service.wallet_initialisations (issuer, subject, expires_at) where used_at is null;

-- Windows of rate limits that have ended: they are removed in batches.
create index on service.rate_windows (ends_at);
