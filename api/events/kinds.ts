import { z } from "zod";
import {
  chainKinds,
  type EventKind,
  eventKinds,
  kindMeanings,
  requestKinds,
  walletKinds,
} from "../../domain/events/kinds.ts";

/** Names that stand for all kinds of a group. */
const groups: Readonly<Record<string, readonly EventKind[]>> = {
  request: requestKinds,
  asset: chainKinds.filter((kind) => kind.startsWith("asset.")),
  link: chainKinds.filter((kind) => kind.startsWith("link.")),
  wallet: walletKinds,
};

const named = new Map<string, readonly EventKind[]>([
  ...Object.entries(groups),
  ...eventKinds.map((kind): [string, EventKind[]] => [kind, [kind]]),
]);

/** Longer than all names together. */
const LONGEST = 1_000;

/** The kinds that names of kinds and groups stand for, each once, in the order of the table; undefined where one is unknown. */
export function kindsOf(names: readonly string[]): EventKind[] | undefined {
  const wanted = new Set<EventKind>();
  for (const name of names) {
    const kinds = named.get(name);
    if (kinds === undefined) return undefined;
    for (const kind of kinds) wanted.add(kind);
  }
  return eventKinds.filter((kind) => wanted.has(kind));
}

/** Completes the sentence "kinds …" about names that are unknown. */
export const kindsProblem = `must be one of ${[...named.keys()].join(", ")}`;

/** The parameter `kinds`: names of kinds and groups, separated by commas. */
export const kindList = z
  .string({ error: ({ input }) => (Array.isArray(input) ? "must be given once" : "must be a text") })
  .transform((list, context): EventKind[] => {
    const kinds = list.length > LONGEST ? undefined : kindsOf(list.split(","));
    if (kinds !== undefined) return kinds;
    context.addIssue(`${kindsProblem}; several are separated by commas`);
    return z.NEVER;
  })
  .meta({
    type: "string",
    maxLength: LONGEST,
    description: [
      "Kinds of events, separated by commas: request, asset, link or wallet for all of a group, or of these.",
      ...eventKinds.map((kind) => `${kind}: ${kindMeanings[kind]}.`),
    ].join(" "),
  });
