import { z } from "zod";
import { type EventKind, walletKinds } from "../../domain/events/kinds.ts";
import { kindsOf, kindsProblem } from "../events/kinds.ts";
import { wrongType } from "../operation/fields.ts";

/** More than there are kinds and groups. */
const MOST = 100;

const ofUsers: ReadonlySet<string> = new Set(walletKinds);

/** The kinds of events that a webhook is sent: names of kinds and groups. Those of wallets are told to their user alone. */
export const webhookKinds = z
  .array(z.string({ error: wrongType("a text") }), { error: wrongType("a list of kinds") })
  .min(1, "must name at least one kind")
  .max(MOST, `must name at most ${MOST} kinds`)
  .transform((names, context): EventKind[] => {
    const wanted = new Set<EventKind>();
    for (const [place, name] of names.entries()) {
      const problem = add(name, wanted);
      if (problem !== undefined) context.addIssue({ code: "custom", message: problem, path: [place] });
    }
    return [...wanted];
  })
  .meta({ type: "array", items: { type: "string" }, minItems: 1, maxItems: MOST });

/** @returns what is wrong with the name */
function add(name: string, wanted: Set<EventKind>): string | undefined {
  const kinds = kindsOf([name]);
  if (kinds === undefined) return kindsProblem;
  if (kinds.some((kind) => ofUsers.has(kind))) {
    return "is told to the user of the wallet alone: read it by GET /events/ with an identity token";
  }
  for (const kind of kinds) wanted.add(kind);
  return undefined;
}
