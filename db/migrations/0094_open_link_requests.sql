-- How many changes of an asset's links a tenant has open is counted from these alone.
create index on service.requests (asset_id, tenant)
  where not settled and kind <> 'create' and noted_state <> 'Committed';
