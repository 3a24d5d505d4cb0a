/**
 * In SQL: whether every link of this request has been added or revoked, as by `effect` of `requestFactsFrom`, without
 * building a list. It stops at the first that has not. `offset 0` forces index lookups for each request.
 */
const linksComplete = (request: string): string => `not exists (
  select from service.request_targets target
  where target.request_id = ${request}.id
    and not exists (
      select from chain.links link
      where link.parent = ${request}.asset_id and link.child = target.child and link.nth = target.nth
        and (${request}.kind = 'link' or link.revoked_block is not null)
      offset 0)
    and not exists (
      select from service.transactions own
      join chain.links link on link.parent = ${request}.asset_id and link.child = target.child
        and own.hash = case ${request}.kind when 'link' then link.transaction_hash
          else link.revoked_transaction_hash end
      where own.request_id = ${request}.id and (${request}.kind = 'link' or link.revoked_block is not null)
      offset 0)
  offset 0)`;

/**
 * In SQL: ids of the requests for these links whose state the links may change. Closed ones, of which there may be many,
 * are included only where their whole change is on the chain.
 * @param links rows of `parent` and `child`
 */
export const requestsForLinks = (links: string): string => `
  select request.id from (
    select distinct target.request_id as id from (${links}) link
    cross join lateral (
      select request_id from service.request_targets where parent = link.parent and child = link.child offset 0
    ) target) named
  cross join lateral (
    select id, kind, asset_id, settled from service.requests where id = named.id offset 0) request
  where not request.settled or ${linksComplete("request")}`;
