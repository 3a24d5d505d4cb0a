import { z } from "zod";
import { type ErrorCode, errorTable } from "../../domain/errors.ts";
import { countAnswer } from "./schema-words.ts";

/** The response envelope (docs/spec.md §2.1). */
export const metaAnswer = z
  .strictObject({
    size: countAnswer.optional(),
    page: countAnswer.optional(),
    next: z.string().optional().meta({ description: "Cursor of what follows; absent at the end" }),
    warnings: z
      .array(z.strictObject({ field: z.string(), message: z.string() }))
      .optional()
      .meta({
        description: "What was taken as it is, though it may not be meant so; absent where nothing was",
      }),
  })
  .meta({
    id: "Meta",
    description: "What stands beside a list, or beside a request that was taken with a warning",
  });

export const failureAnswer = z
  .strictObject({
    value: z.null(),
    error: z.strictObject({
      code: z.enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]),
      message: z.string().meta({ description: "For people; may change" }),
      details: z
        .array(z.strictObject({ field: z.string(), message: z.string() }))
        .optional()
        .meta({ description: "Each bad field; the message completes the sentence that begins with it" }),
    }),
  })
  .meta({ id: "Failure" });
