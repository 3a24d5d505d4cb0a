import { randomBytes, randomUUID } from "node:crypto";
import { encodeFunctionData, type Hex, size, toHex } from "viem";
import { noteState } from "../db/history.ts";
import { type Database, inTransaction } from "../db/pool.ts";
import { insertRequest, type Request } from "../db/requests.ts";
import { type AssetContent, type AssetDetails, detailFields } from "../domain/asset.ts";
import { limits } from "../domain/limits.ts";
import { registryAbi } from "../domain/registry-abi.ts";
import { assetId } from "../domain/typed-data.ts";
import type { Dependencies } from "./dependencies.ts";
import { invalidRequest } from "./parse.ts";

/** What is made of a request in the transaction that stored it. */
export type AnswerTo<Result> = (db: Database, request: Request) => Promise<Result>;

/** Generates the transaction that creates an asset, and stores the request for it. */
export async function requestCreation<Result>(
  services: Dependencies,
  tenant: string,
  content: Omit<AssetContent, "salt">,
  answer: AnswerTo<Result>,
): Promise<Result> {
  const registry = await services.registry();
  const salt = toHex(randomBytes(32));
  const { author, details } = content;
  const calldata = encodeFunctionData({
    abi: registryAbi,
    functionName: "createAsset",
    args: [salt, details],
  });
  refuseTooLarge(calldata, details);
  await services.openRequests.addOne(services.pool, tenant);
  const id = randomUUID();
  return await inTransaction(services.pool, async (tx) => {
    await insertRequest(tx, {
      id,
      tenant,
      author,
      assetId: assetId(registry, { author, salt, details }),
      registry,
      calldata,
      ttl: services.requestTtl,
      change: { kind: "create", salt, details },
    });
    return await answer(tx, await noteState(tx, id));
  });
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
