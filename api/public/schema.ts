import { z } from "zod";
import { detailFields } from "../../domain/asset/asset.ts";
import { contentHashAnswer, databaseHashAnswer } from "../assets/schema.ts";
import {
  addressAnswer,
  countAnswer,
  hashAnswer,
  idAnswer,
  textAnswers,
  timeAnswer,
} from "../operation/schema-words.ts";

const isFinal = z.boolean().meta({ description: "Whether its block is final, so that no reorg undoes it" });

/** An asset as the chain has it, with the texts under the names that its id commits to. */
export const publicAssetAnswer = z
  .strictObject({
    id: idAnswer,
    chainId: z.int().min(1),
    registry: addressAnswer.meta({ description: "Address of the registry's contract" }),
    author: addressAnswer,
    salt: hashAnswer.meta({ description: "32 bytes in 0x hex: with author and texts they make the id" }),
    blockchainHash: contentHashAnswer,
    documentDbHash: databaseHashAnswer,
    ...textAnswers,
    createdOn: timeAnswer,
    blockNumber: countAnswer,
    blockHash: hashAnswer,
    transactionHash: hashAnswer,
    logIndex: countAnswer,
    confirmations: countAnswer.meta({ description: "Blocks of the index from its own block on" }),
    final: isFinal,
    truncated: z.array(z.enum(detailFields)).optional().meta({
      description: "Texts of which only the beginning is shown; absent where all are whole",
    }),
    inexact: z.array(z.enum(detailFields)).optional().meta({
      description:
        "Texts with bytes that are no UTF-8, which show as U+FFFD, so that the id cannot be made from them; absent where there are none",
    }),
  })
  .meta({ id: "PublicAsset", description: "What the chain says of an asset. An absent text is empty" });

const publicLink = z
  .strictObject({
    id: idAnswer.meta({ description: "The asset at the other end" }),
    addedOn: timeAnswer,
    revokedOn: timeAnswer.optional().meta({ description: "Absent where the link stands" }),
    final: isFinal,
  })
  .meta({ id: "PublicLink" });

/** Links of an asset in both directions, those that stand and those that were revoked. */
export const publicLinksAnswer = z
  .strictObject({
    from: z.array(publicLink).meta({ description: "From other assets to this one" }),
    to: z
      .array(publicLink)
      .meta({ description: "From this asset to others, added and revoked by its author" }),
  })
  .meta({ id: "PublicLinks" });
