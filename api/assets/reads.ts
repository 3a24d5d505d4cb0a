import type { Pool } from "../../db/core/pool.ts";
import {
  type Answers,
  type AssetReading,
  readAssets,
  readLinks,
  readStatuses,
  type StatusReading,
} from "../../db/reads/assets.ts";
import { type PendingReading, readPending } from "../../db/reads/pending-assets.ts";
import { type RequestStatus, readTransactionStatuses } from "../../db/reads/transactions.ts";
import type { KnownKey } from "../../db/service/api-keys.ts";
import type { AssetId } from "../../domain/asset/asset.ts";
import type { Claim } from "../auth/api-keys.ts";
import { gather } from "../operation/gather.ts";

/**
 * What is asked most, of assets on the chain; undefined for any other. See `db/reads/assets.ts`. A claim that is
 * given is settled by the same question.
 */
export type Reads = {
  asset(id: AssetId, claim: Claim | undefined): Promise<AssetReading | undefined>;
  status(id: AssetId, claim: Claim | undefined): Promise<StatusReading | undefined>;
  /** JSON: `{"from":[…],"to":[…]}`. */
  links(id: AssetId, claim: Claim | undefined): Promise<string | undefined>;
  /** The request for an asset, on the chain or not. */
  pending(id: AssetId): Promise<PendingReading | undefined>;
  /** How far a request is. */
  transaction(id: string): Promise<RequestStatus | undefined>;
};

export function createReads(pool: Pool): Reads {
  return {
    asset: claimed((ids, keys) => readAssets(pool, ids, keys)),
    status: claimed((ids, keys) => readStatuses(pool, ids, keys)),
    links: claimed((ids, keys) => readLinks(pool, ids, keys)),
    pending: gather((ids) => readPending(pool, ids)),
    transaction: gather(async (ids: readonly string[]) => {
      const found = new Map(
        (await readTransactionStatuses(pool, ids)).map((status) => [status.request.id, status]),
      );
      return ids.map((id) => found.get(id));
    }),
  };
}

type Question = { id: AssetId; claim: Claim | undefined };

function claimed<Reading>(
  read: (ids: readonly AssetId[], keys: readonly KnownKey[]) => Promise<Answers<Reading>>,
): (id: AssetId, claim: Claim | undefined) => Promise<Reading | undefined> {
  const ask = gather(async (questions: readonly Question[]) => {
    // Most that come together have the same key.
    const keys = new Map<string, KnownKey>();
    for (const { claim } of questions) if (claim?.holds === false) keys.set(claim.key.digest, claim.key);
    const ids = questions.map(({ id }) => id);
    const { readings, holders } = await read(ids, [...keys.values()]);
    const found = new Map([...keys.keys()].map((digest, index) => [digest, holders[index]]));
    for (const { claim } of questions) if (claim?.holds === false) claim.settle(found.get(claim.key.digest));
    return readings;
  });
  return (id, claim) => ask({ id, claim });
}
