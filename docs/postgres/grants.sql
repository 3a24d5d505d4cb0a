-- What the roles of roles.sql may do. Run as registry_owner after the first `npm run migrate`, and again after each
-- upgrade; running it twice changes nothing. `npm run reindex` carries the grants over to the new index by itself.

grant usage on schema chain, service to registry_api, registry_reader;
grant select on all tables in schema chain, service, public to registry_api;
grant select on all tables in schema chain to registry_reader;

grant insert, update, delete on all tables in schema service to registry_api;
grant usage on all sequences in schema service to registry_api;
-- The job queue of webhooks, whose tables are its package's.
grant usage on schema jobs to registry_api;
grant select, insert, update, delete on all tables in schema jobs to registry_api;
-- Keys are made and ended by their command alone. The API notes when one was used last.
revoke insert, update, delete on service.api_keys, service.api_key_changes from registry_api;
revoke update on service.audit from registry_api;
grant update (last_used_at) on service.api_keys to registry_api;
-- Nor is it the indexer, or its relayer.
revoke insert, update, delete on service.indexer_lease, service.indexer_waits, service.providers,
  service.relayer, service.relayer_nonces, service.relayer_attempts from registry_api;

-- Digests of keys, kept answers, capabilities and signatures are left out.
grant select on service.history, service.counters, service.api_key_changes, service.indexer_lease,
  service.indexer_waits, service.providers, service.relayer to registry_reader;
