import { z } from "zod";
import { hints } from "../../domain/request/hints.ts";
import { assetStates } from "../../domain/request/state.ts";
import { countAnswer, hashAnswer, idAnswer, timeAnswer } from "../operation/schema-words.ts";
import { signUrlAnswer } from "../operation/sign-url.ts";

export const state = z.enum(assetStates).meta({
  id: "AssetState",
  description: "Derived from facts at each reading; a reorg may take it back until it is Confirmed",
});

/** Why a pending transaction is delayed; absent where it is not. */
const hint = z
  .strictObject({
    code: z.enum(Object.keys(hints) as [keyof typeof hints, ...(keyof typeof hints)[]]),
    since: timeAnswer,
    message: z.string(),
  })
  .meta({ id: "Hint", description: "What holds up a transaction under way, and since when" });

const reason = z.string().meta({ description: "Why the state holds, where the state alone does not say it" });

export const historyAnswer = z.array(
  z
    .strictObject({
      state,
      at: timeAnswer,
      reason: reason.optional(),
      transactionHash: hashAnswer.optional(),
      blockNumber: countAnswer.optional(),
    })
    .meta({ id: "HistoryEntry" }),
);

/** Fields beside a state, absent where there is no value. */
export const besideState = {
  reason: reason.optional(),
  hint: hint.optional(),
  transactionHash: hashAnswer.optional(),
  blockNumber: countAnswer.optional(),
};

/** The request behind an asset; an asset made without this service has the hash of its transaction and no page. */
export const requestAnswer = {
  transactionId: z.string().meta({
    pattern: "^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|0x[0-9a-f]{64})$",
    description:
      "Id of the transaction to sign; of an asset made without this service, the hash of its transaction",
  }),
  signUrl: signUrlAnswer.optional(),
};

export const requiredConfirmations = z.union([z.int().min(1), z.literal("finalized")]);

/** The state of an asset's creation (docs/spec.md §4.2). */
export const statusAnswer = z
  .strictObject({
    id: idAnswer,
    state,
    ...besideState,
    ...requestAnswer,
    confirmations: countAnswer.optional(),
    requiredConfirmations,
    history: historyAnswer,
  })
  .meta({ id: "AssetStatus" });
