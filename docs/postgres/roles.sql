-- Database roles of least privilege. Run once by a superuser, connected to the service's empty database and before
-- the first `npm run migrate`; then grants.sql. Give each role a password afterwards: \password registry_owner

-- Owns the schemas: migrate, indexer, reindex, index:verify and keys.
create role registry_owner login;
-- The API: reads the index, writes requests and wallets, and can make no API key.
create role registry_api login;
-- Reads everything that holds no credential: for people and dashboards.
create role registry_reader login;

do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to registry_owner, registry_api, registry_reader', current_database());
  execute format('grant create on database %I to registry_owner', current_database());
end $$;
revoke create on schema public from public;
grant usage, create on schema public to registry_owner;
grant usage on schema public to registry_api, registry_reader;
