import { numberToHex } from "viem";
import { linkNonceOf } from "../../../domain/asset/gasless.ts";
import { toBytes } from "../../../domain/bytes.ts";
import type { Transaction } from "../../core/pool.ts";
import { ask, statement } from "../../core/statement.ts";
import { recordState } from "./history.ts";
import type { LinkChange, NewRequest, Request } from "./request.ts";

export type NewLinkChange = NewRequest<LinkChange>;

/** Stores a request for a change of links with the first entry of its history. @returns the stored request */
export async function insertLinkChange(tx: Transaction, request: NewLinkChange): Promise<Request> {
  const { kind, targets } = request.change;
  await ask(tx, insert, [
    request.id,
    request.tenant,
    kind,
    toBytes(request.author),
    toBytes(request.assetId),
    request.registry.chainId,
    toBytes(request.registry.address),
    toBytes(request.calldata),
    request.ttl,
    toBytes(numberToHex(linkNonceOf(request.id), { size: 32 })),
  ]);
  await tx.query(
    `insert into service.request_targets (request_id, ordinal, child, nth)
     select $1, ordinal, child, nth
     from unnest($2::bytea[], $3::int[]) with ordinality as target (child, nth, ordinal)`,
    [request.id, targets.map(({ child }) => toBytes(child)), targets.map(({ nth }) => nth)],
  );
  return await recordState(tx, request.id);
}

const insert = statement(`
  insert into service.requests
    (id, tenant, kind, author, asset_id, chain_id, registry, calldata, expires_at, link_nonce, after_block)
  values ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9), $10,
    (select block_number from chain.cursor limit 1))`);
