-- Database roles of least privilege. Run by a superuser, connected to the service's empty database and before the
-- first `npm run migrate`; then grants.sql. Give each role a password afterwards: \password registry_owner
-- Roles belong to the server and rights to a database: run it again on each further database, such as one that a
-- backup is restored into.

do $$
declare
  -- The owner of the schemas runs migrate, indexer, reindex, index:verify and keys. The API reads the index, writes
  -- requests and wallets, and can make no API key. The reader sees what holds no credential: people, dashboards.
  role_name text;
begin
  foreach role_name in array array['registry_owner', 'registry_api', 'registry_reader'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      execute format('create role %I login', role_name);
    end if;
  end loop;
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to registry_owner, registry_api, registry_reader', current_database());
  execute format('grant create on database %I to registry_owner', current_database());
end $$;
revoke create on schema public from public;
grant usage, create on schema public to registry_owner;
grant usage on schema public to registry_api, registry_reader;
