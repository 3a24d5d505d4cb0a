import { z } from "zod";
import {
  type ChainKind,
  chainKinds,
  type EventKind,
  requestKinds,
  walletKinds,
} from "../../domain/events/kinds.ts";
import { besideState, state } from "../assets/state-schema.ts";
import {
  addressAnswer,
  countAnswer,
  hashAnswer,
  idAnswer,
  timeAnswer,
  uuidAnswer,
} from "../operation/schema-words.ts";
import { walletAnswer } from "../wallets/schema.ts";

const targetIds = z.array(idAnswer).meta({ description: "Children of a change of links" });

const requestData = z
  .strictObject({
    id: uuidAnswer,
    kind: z.enum(["create", "link", "revoke"]),
    assetId: idAnswer,
    targetAssetIds: targetIds.optional(),
    state,
    reason: besideState.reason,
    transactionHash: besideState.transactionHash,
    blockNumber: besideState.blockNumber,
  })
  .meta({ id: "RequestEventData", description: "A request and the state that it reached" });

const inBlock = { transactionHash: hashAnswer, blockNumber: countAnswer };

const assetData = z
  .strictObject({
    id: idAnswer,
    author: addressAnswer,
    name: z.string(),
    fileName: z.string(),
    method: z.string(),
    hash: z.string(),
    ...inBlock,
  })
  .meta({ id: "AssetEventData", description: "The asset, with the short ones of its texts" });

const linkData = z
  .strictObject({
    from: idAnswer.meta({ description: "The asset that points" }),
    to: idAnswer.meta({ description: "The asset that it points to" }),
    author: addressAnswer.meta({ description: "Of the asset that points" }),
    ...inBlock,
  })
  .meta({ id: "LinkEventData", description: "The link" });

/** The fields of an event of these kinds, whose `data` is this. */
const eventOf = <Kind extends EventKind, Data extends z.ZodType>(
  kinds: readonly Kind[],
  data: Data,
  description: string,
) =>
  z
    .strictObject({
      id: uuidAnswer.meta({ description: "The same at each repetition" }),
      sequence: z.int().min(1).meta({ description: "Position in the log, which has no gaps" }),
      kind: z.enum(kinds as [Kind, ...Kind[]]),
      time: timeAnswer,
      transactionId: uuidAnswer.optional().meta({ description: "Of the request" }),
      assetId: idAnswer.optional(),
      targetAssetId: idAnswer.optional().meta({ description: "The child of a link" }),
      author: addressAnswer.optional(),
      walletId: uuidAnswer.optional(),
      transactionHash: hashAnswer.optional(),
      block: z
        .strictObject({ number: countAnswer, hash: hashAnswer.optional(), time: timeAnswer.optional() })
        .optional(),
      data,
    })
    .meta({ description });

const chainKindsOf = <Group extends "asset" | "link">(group: Group) =>
  chainKinds.filter((kind) => kind.startsWith(`${group}.`)) as Extract<ChainKind, `${Group}.${string}`>[];

/** An event of the log, the same bytes each time that it is told. */
export const eventAnswer = z
  .discriminatedUnion("kind", [
    eventOf(requestKinds, requestData, "A request reached a state"),
    eventOf(chainKindsOf("asset"), assetData, "An asset of the chain"),
    eventOf(chainKindsOf("link"), linkData, "A link of the chain"),
    eventOf(walletKinds, walletAnswer, "A wallet of a user"),
  ])
  .meta({ id: "Event", description: "Something that happened; what does not apply to its kind is absent" });
export type EventAnswer = z.input<typeof eventAnswer>;
