import { z } from "zod";
import { assetStates } from "../../domain/request/state.ts";
import { address } from "../operation/fields.ts";
import { pagingQuery } from "../operation/paging.ts";
import { transactionAnswer } from "../transactions/schema.ts";

export const inboxQuery = z.strictObject({
  signer: address.optional().meta({ description: "Only what this address has to sign" }),
  state: z
    .enum(assetStates, {
      error: ({ input }) =>
        Array.isArray(input) ? "must be given once" : `must be one of ${assetStates.join(", ")}`,
    })
    .optional(),
  ...pagingQuery,
});

export const inboxAnswer = z.array(
  transactionAnswer
    .pick({
      id: true,
      signUrl: true,
      kind: true,
      assetId: true,
      signer: true,
      requestedBy: true,
      state: true,
      reason: true,
      hint: true,
      summary: true,
      createdAt: true,
      expiresAt: true,
      transactionHash: true,
    })
    .extend({
      assetName: z
        .string()
        .nullable()
        .meta({ description: "Name of the asset that it registers; null of a change of links" }),
    })
    .meta({
      id: "InboxEntry",
      description: "A request and its state; its id opens the data to sign",
    }),
);
