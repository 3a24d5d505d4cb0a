import { z } from "zod";
import { type ErrorCode, errorTable } from "../../domain/errors.ts";
import { countAnswer } from "./words.ts";

/** SPEC 2.1. */
export const metaAnswer = z
  .strictObject({
    size: countAnswer.optional(),
    page: countAnswer.optional(),
    next: z.string().optional().meta({ description: "Cursor of what follows; absent at the end" }),
  })
  .meta({ id: "Meta", description: "What stands beside a list" });

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
