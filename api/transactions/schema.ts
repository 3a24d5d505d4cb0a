import { z } from "zod";
import { limits } from "../../domain/limits.ts";
import { besideState, historyAnswer, state } from "../assets/state-schema.ts";
import { address, signature, text, transactionHash, uuid, wrongType } from "../operation/fields.ts";
import {
  addressAnswer,
  countAnswer,
  hashAnswer,
  hexAnswer,
  idAnswer,
  quantityAnswer,
  timeAnswer,
  uuidAnswer,
} from "../operation/schema-words.ts";
import { signUrlAnswer } from "../operation/sign-url.ts";

/** The decoded call. */
export const callAnswer = z.strictObject({
  function: z.string(),
  arguments: z.record(z.string(), z.unknown()),
});

type TypedField = { name: string; type: string };

/** Read-only fields, so that constants can be used. */
const typedFields = z.array(z.strictObject({ name: z.string(), type: z.string() })) as unknown as z.ZodType<
  readonly TypedField[],
  readonly TypedField[]
>;

/** EIP-712 typed data, as `eth_signTypedData_v4` takes it. */
export const typedDataAnswer = z
  .strictObject({
    domain: z.looseObject({
      name: z.string().optional(),
      version: z.string().optional(),
      chainId: z.int().optional(),
      verifyingContract: addressAnswer.optional(),
    }),
    types: z.record(z.string(), typedFields),
    primaryType: z.string(),
    message: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "TypedData", description: "In the form of eth_signTypedData_v4" });

export const transactionAnswer = z
  .strictObject({
    id: uuidAnswer,
    signUrl: signUrlAnswer,
    kind: z.enum(["create", "link", "revoke"]),
    assetId: idAnswer,
    state,
    ...besideState,
    summary: z.string().meta({ description: "What signing it does, in plain words" }),
    signer: addressAnswer,
    requestedBy: z.string().meta({ description: "Name of the tenant whose API key asked for it" }),
    call: callAnswer,
    chainId: z.int().min(1),
    to: addressAnswer.nullable(),
    data: hexAnswer.nullable(),
    value: quantityAnswer,
    nonce: countAnswer.nullable().meta({
      description:
        "To sign several requests of the author in a row: refused as NONCE_GAP while an earlier one is not handed in",
    }),
    nextNonce: countAnswer
      .nullable()
      .meta({ description: "To sign this request alone: taken at once, whatever waits before it" }),
    gas: quantityAnswer,
    maxFeePerGas: quantityAnswer,
    maxPriorityFeePerGas: quantityAnswer,
    gasPrice: quantityAnswer,
    warning: z.string().nullable().meta({ description: "What is wrong now, in words" }),
    refusal: typedDataAnswer.nullable(),
    gasless: typedDataAnswer.nullable(),
    signatureAliveUntil: timeAnswer.nullable().meta({
      description:
        "Until when anybody may still make the change with the gasless signature, which was sent and is not needed any more; else null",
    }),
    cancelSignature: z
      .strictObject({ to: addressAnswer, data: hexAnswer, value: quantityAnswer })
      .nullable()
      .meta({ description: "The call by which the author voids that signature on the chain; else null" }),
    createdAt: timeAnswer,
    expiresAt: timeAnswer,
    history: historyAnswer,
  })
  .meta({
    id: "Transaction",
    description:
      "What the author is asked to sign; of a closed one, all from `to` to `gasless` is null; `gasless` also where no relayer works.",
  });
export type TransactionAnswer = z.input<typeof transactionAnswer>;

/** Fields of a transaction that need no call of the node. */
export const transactionStatusAnswer = transactionAnswer
  .pick({
    id: true,
    kind: true,
    assetId: true,
    state: true,
    reason: true,
    hint: true,
    signatureAliveUntil: true,
    transactionHash: true,
    blockNumber: true,
    expiresAt: true,
    history: true,
  })
  .meta({ id: "TransactionStatus", description: "The status of a request, without the data to sign" });
export type TransactionStatusAnswer = z.input<typeof transactionStatusAnswer>;

const idList = z
  .string({ error: ({ input }) => (Array.isArray(input) ? "must be given once" : "must be a text") })
  .transform((list, context): string[] => {
    // Checked before splitting: a UUID and its comma have 37 characters.
    const ids = list.length > 37 * limits.statuses ? undefined : list.split(",");
    if (ids?.every((id) => uuid.safeParse(id).success)) return ids.map((id) => id.toLowerCase());
    context.addIssue(`must be UUIDs separated by commas, at most ${limits.statuses}`);
    return z.NEVER;
  })
  .meta({
    type: "string",
    description: "Ids of transactions, separated by commas",
    maxLength: 37 * limits.statuses,
  });

export const statusQuery = z.strictObject({ ids: idList.optional() });

export const submission = z
  .strictObject({
    signedTransaction: z
      .string({ error: wrongType("a signed transaction in 0x hex") })
      .meta({ description: "The raw transaction of the wallet, in 0x hex" })
      .optional(),
    signerAddress: address.meta({ description: "Checked against the signature" }).optional(),
    description: text(limits.note).optional(),
    transactionHash: transactionHash
      .meta({ description: "Of a transaction that the wallet sent itself; nothing may stand beside it" })
      .optional(),
    signature: signature
      .meta({
        description: "The author's, over `gasless`: the relayer sends it. Nothing may stand beside it",
      })
      .optional(),
  })
  .superRefine((body, context) => {
    const complain = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    const { signedTransaction, transactionHash, signature } = body;
    if ((signedTransaction ?? transactionHash ?? signature) === undefined) {
      complain("signedTransaction", "is missing, and so are transactionHash and signature: send one of them");
    }
    const alone = signature === undefined ? "transactionHash" : "signature";
    if (body[alone] === undefined) return;
    for (const field of ["signedTransaction", "signerAddress", "description", "transactionHash"] as const) {
      if (field !== alone && body[field] !== undefined) complain(field, `cannot go with ${alone}`);
    }
  })
  .meta({
    id: "Submission",
    description: "One of `signedTransaction`, `transactionHash` and `signature`.",
    oneOf: [
      { required: ["signedTransaction"] },
      { required: ["transactionHash"] },
      { required: ["signature"] },
    ],
    examples: [
      { transactionHash: "0x9a1c5d2e3f40516273849a5b6c7d8e9f0a1b2c3d4e5f60718293a4b5c6d7e8f9" },
      { signedTransaction: "0x02f8b1", description: "signed in the office" },
    ],
  });
export type Submission = z.output<typeof submission>;

const outcome = {
  id: idAnswer.meta({ description: "The asset" }),
  transactionId: uuidAnswer,
  signUrl: signUrlAnswer,
  state,
};

export const submissionAnswer = z
  .strictObject({
    ...outcome,
    transactionHash: hashAnswer
      .meta({ description: "Absent of a signature that the relayer has not sent yet" })
      .optional(),
  })
  .meta({ id: "SubmissionOutcome" });

export const refusal = z
  .strictObject({ signature: signature.meta({ description: "The author's, over `refusal`" }) })
  .meta({ id: "Refusal" });

export const refusalAnswer = z.strictObject(outcome).meta({ id: "RefusalOutcome" });
