import { randomBytes, randomUUID } from "node:crypto";
import { encodeFunctionData, type Hex, size, toHex } from "viem";
import type { Transaction } from "../../db/core/pool.ts";
import { insertCreation, type NewCreation } from "../../db/service/requests/insert-creation.ts";
import type { Request } from "../../db/service/requests/request.ts";
import { type AssetContent, type AssetDetails, detailFields } from "../../domain/asset/asset.ts";
import { assetDigests } from "../../domain/asset/digests.ts";
import { ApiError } from "../../domain/errors.ts";
import { limits } from "../../domain/limits.ts";
import { registryAbi } from "../../domain/registry/abi.ts";
import type { KeyCaller } from "../operation/caller.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { invalidRequest } from "../operation/parse.ts";
import { requireAuthor } from "./find.ts";

/** Generates the transaction that creates an asset, for its author to sign. */
export async function prepareCreation(
  services: Dependencies,
  { tenant, user }: KeyCaller,
  { author, details }: Omit<AssetContent, "salt">,
): Promise<NewCreation> {
  await requireAuthor(services.pool, user, author);
  const salt = toHex(randomBytes(32));
  const calldata = encodeFunctionData({
    abi: registryAbi,
    functionName: "createAsset",
    args: [salt, details],
  });
  refuseTooLarge(calldata, details);
  const registry = await services.registry.recent();
  await services.openRequests.addOne(services.pool, tenant);
  const { id: assetId, contentHash } = assetDigests(registry, { author, salt, details });
  return {
    ...{ id: randomUUID(), tenant, author, assetId, contentHash, registry, calldata },
    ttl: services.requestTtl,
    change: { kind: "create", salt, details },
  };
}

/** Stores the request for a new asset. @throws ApiError NOT_READY */
export async function commitCreation(tx: Transaction, creation: NewCreation): Promise<Request> {
  const stored = await insertCreation(tx, creation);
  if (stored !== undefined) return stored;
  throw new ApiError("NOT_READY", "The index has just begun anew. Ask again.");
}

/** Texts within their limits can together be too large for one transaction. */
function refuseTooLarge(calldata: Hex, details: AssetDetails): void {
  const bytes = size(calldata);
  if (bytes <= limits.calldataBytes) return;
  const longest = detailFields.reduce((a, b) => (details[b].length > details[a].length ? b : a));
  throw invalidRequest([
    {
      field: longest,
      message: `makes the transaction too large: ${bytes} bytes, and at most ${limits.calldataBytes} can be sent`,
    },
  ]);
}
