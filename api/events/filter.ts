import { z } from "zod";
import type { EventFilter } from "../../db/service/events/read.ts";
import { ApiError } from "../../domain/errors.ts";
import { requestKinds, walletKinds } from "../../domain/events/kinds.ts";
import type { Caller } from "../operation/caller.ts";
import { assetId, uuid } from "../operation/fields.ts";
import { oneText } from "../operation/paging.ts";
import { invalidRequest } from "../operation/parse.ts";
import { kindList } from "./kinds.ts";

/** Completes "must be …" about a position in the log. */
export const POSITION = "a sequence number: a whole number from 0";

/** A position in the log: the sequence number of an event, or 0 before the first; undefined for other texts. */
export const readPosition = (text: string): number | undefined =>
  /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/** A parameter that is a position, or one of some words. */
const positionOr = <Word extends string = never>(wanted: string, words: readonly Word[] = []) =>
  oneText(wanted).transform((text, context): number | Word => {
    const read = words.find((word) => word === text) ?? readPosition(text);
    if (read !== undefined) return read;
    context.addIssue(`must be ${wanted}`);
    return z.NEVER;
  });

const position = positionOr(POSITION).meta({ type: "integer", minimum: 0 });

/** A position, or `latest`: the end of the log. */
export const positionOrLatest = positionOr(`${POSITION}, or latest`, ["latest"]).meta({
  pattern: "^(\\d{1,15}|latest)$",
});

/** Parameters that say which events are read, and after which. */
export const eventsFilter = {
  after: position.optional().meta({ description: "Sequence number of the event after which to begin, or 0" }),
  kinds: kindList.optional(),
  assetId: oneText("an asset's id")
    .pipe(assetId)
    .optional()
    .meta({ description: "Only what is about this asset, of a link about either end" }),
  transactionId: oneText("a UUID").pipe(uuid).optional().meta({
    description:
      "Only what is about this request, for whoever knows its id; without it a credential is needed",
  }),
};

/**
 * The position after which a stream begins: of the header Last-Event-ID, which a reader that resumes sends, else of the
 * parameter.
 * @throws ApiError INVALID_REQUEST
 */
export function resumeAfter(lastEventIds: readonly string[], after: number | undefined): number | undefined {
  const [id, ...others] = lastEventIds;
  if (id === undefined) return after;
  const read = readPosition(id);
  if (read !== undefined && others.length === 0) return read;
  throw invalidRequest([{ field: "Last-Event-ID", message: `must be sent once, as ${POSITION}` }]);
}

const usualKinds = [...requestKinds, ...walletKinds];

type Asked = z.output<z.ZodObject<typeof eventsFilter>>;

/**
 * The events that a caller asks for and may see. Those of the chain are for whoever names them.
 * @throws ApiError API_KEY_MISSING where there is neither a credential nor the id of a request
 */
export function filterOf(caller: Caller, { kinds = usualKinds, assetId, transactionId }: Asked): EventFilter {
  if (transactionId !== undefined) return { kinds, assetId, requestId: transactionId };
  const { tenant, user } = caller;
  if (tenant !== undefined || user !== undefined) return { kinds, assetId, audience: { tenant, user } };
  throw new ApiError(
    "API_KEY_MISSING",
    "Events need an API key in the header X-API-KEY, or an identity token in Authorization, or the id of a request as transactionId.",
  );
}
