import { z } from "zod";
import { state } from "../assets/state-schema.ts";
import { targetIds } from "../operation/fields.ts";
import { idAnswer, uuidAnswer } from "../operation/schema-words.ts";
import { signUrlAnswer } from "../operation/sign-url.ts";

const example = "0x7b21c1c3a2d94e5f60718293a4b5c6d7e8f9012a3b4c5d6e7f8091a2b3c4d5e6";

export const targets = z
  .strictObject({
    targetAssetIds: targetIds.meta({ description: "Assets that the asset in the path points to" }),
  })
  .meta({ id: "LinkTargets", examples: [{ targetAssetIds: [example] }] });

/** The answer to a link change (docs/spec.md §2.5), with the transaction to sign. */
export const linkChangeAnswer = z
  .strictObject({
    id: idAnswer.meta({ description: "The asset in the path" }),
    state,
    transactionId: uuidAnswer,
    signUrl: signUrlAnswer,
  })
  .meta({ id: "LinkChange" });

/** The links of an asset in both directions (docs/spec.md §2.4). */
export const linkSetAnswer = z
  .strictObject({
    from: z.array(idAnswer).meta({ description: "Assets that point to this one" }),
    to: z.array(idAnswer).meta({ description: "Assets that this one points to" }),
  })
  .meta({ id: "LinkSet", examples: [{ from: [], to: [example] }] });
