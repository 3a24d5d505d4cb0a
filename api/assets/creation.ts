import { randomBytes, randomUUID } from "node:crypto";
import { encodeFunctionData, type Hex, size, toHex } from "viem";
import { type Database, inTransaction, type Transaction } from "../../db/core/pool.ts";
import { insertCreation } from "../../db/service/requests/insert-creation.ts";
import type { Request } from "../../db/service/requests/request.ts";
import { type AssetContent, type AssetDetails, detailFields } from "../../domain/asset/asset.ts";
import { assetDigests } from "../../domain/asset/digests.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import { ApiError } from "../../domain/errors.ts";
import { limits } from "../../domain/limits.ts";
import { registryAbi } from "../../domain/registry/abi.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { invalidRequest } from "../operation/parse.ts";

/**
 * What is made of a request in the transaction that stored it.
 * @param changed whether anything was stored: what is only asked again changes nothing
 */
export type AnswerTo<Result> = (db: Database, request: Request, changed: boolean) => Promise<Result>;

/** Generates the transaction that creates an asset, and stores the request for it with what `answer` stores. */
export async function requestCreation<Result>(
  services: Dependencies,
  tenant: string,
  content: Omit<AssetContent, "salt">,
  answer: AnswerTo<Result>,
): Promise<Result> {
  const salt = toHex(randomBytes(32));
  const { author, details } = content;
  const calldata = encodeFunctionData({
    abi: registryAbi,
    functionName: "createAsset",
    args: [salt, details],
  });
  refuseTooLarge(calldata, details);
  const registry = await services.registry.last();
  await services.openRequests.addOne(services.pool, tenant);
  const request = { tenant, author, calldata, ttl: services.requestTtl };

  async function store(tx: Transaction, registry: Registry): Promise<{ answered: Result } | undefined> {
    const digests = assetDigests(registry, { author, salt, details });
    const stored = await insertCreation(tx, {
      ...request,
      id: randomUUID(),
      assetId: digests.id,
      contentHash: digests.contentHash,
      registry,
      change: { kind: "create", salt, details },
    });
    return stored && { answered: await answer(tx, stored, true) };
  }
  const attempt = (registry: Registry) => inTransaction(services.pool, (tx) => store(tx, registry));

  const done = (await attempt(registry)) ?? (await attempt(await services.registry()));
  if (done === undefined) throw new ApiError("NOT_READY", "The index has just begun anew. Ask again.");
  return done.answered;
}

/** Texts within their limits can still be too many bytes together for one transaction. */
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
