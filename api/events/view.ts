import type { LoggedEvent } from "../../db/service/events/event.ts";
import type { AssetState } from "../../domain/request/state.ts";
import { chainTime, isoTime } from "../operation/time.ts";
import type { EventAnswer } from "./schema.ts";

/** An event in JSON, from what is stored of it alone: told again, it has the same bytes. */
export function viewEvent(event: LoggedEvent): EventAnswer {
  const { block } = event;
  const told = {
    id: event.id,
    sequence: event.sequence,
    kind: event.kind,
    time: isoTime(event.at),
    transactionId: event.request?.id,
    assetId: event.assetId,
    targetAssetId: event.targetId,
    author: event.author,
    walletId: event.wallet?.id,
    transactionHash: event.transactionHash,
    block: block && {
      number: block.number,
      hash: block.hash,
      time: block.time === undefined ? undefined : isoTime(chainTime(block.time)),
    },
    data: dataOf(event),
  };
  // JSON leaves out what is undefined, and each kind has the data of its group.
  return told as EventAnswer;
}

/** The `data` of an event: its subject as the API would answer it. */
function dataOf({ kind, request, wallet, asset, assetId, targetId, author, ...event }: LoggedEvent) {
  const inBlock = { transactionHash: event.transactionHash, blockNumber: event.block?.number };
  if (request !== undefined) {
    return {
      id: request.id,
      kind: request.kind,
      assetId,
      targetAssetIds: request.kind === "create" ? undefined : request.targets,
      state: kind.slice("request.".length) as AssetState,
      reason: request.reason,
      ...inBlock,
    };
  }
  if (wallet !== undefined) return { ...wallet, ethereumAddress: author };
  if (targetId !== undefined) return { from: assetId, to: targetId, author, ...inBlock };
  return { id: assetId, author, ...asset, ...inBlock };
}
