import fc from "fast-check";
import type { Mood } from "./chain.ts";

type Simple = "found" | "create" | "cancel" | "speed up" | "drop" | "send again" | "mine" | "nothing";

/** What may happen to one author's requests; `which` picks one of them, the newest by 0. */
export type Command =
  | { do: Simple }
  /** Links, or unlinks, one or two others, though another request may ask for the same. */
  | { do: "link" | "revoke"; which: number; both: boolean; rival: boolean }
  | { do: "hand in" | "send"; which: number; again: boolean; enoughGas: boolean; fee: number; tell: boolean }
  /** A wallet sends it, or a stranger what the author signs, and it is mined at once. */
  | { do: "carry out"; which: number; gasless: boolean }
  /** The gasless way: the author signs, somebody sends it, the author voids it, or a stranger their own. */
  | { do: "sign" | "relay" | "void"; which: number; stranger: boolean }
  /** Reports a hash that is not of the request: the same call by somebody else, or another one. */
  | { do: "lie"; which: number; stranger: boolean }
  | { do: "refuse" | "expire"; which: number }
  | { do: "mood"; mood: Mood };

/** What happens to all of them in one step. */
export type Turn = {
  /** Depth of a reorg, and what of that which it removes goes back into the pool. */
  reorg: number;
  keep: "all" | "the authors'" | "nothing";
  /** When the service is killed and started again. */
  crash: "no" | "between" | "while sending";
  /** Empty blocks behind the one that is mined. */
  empty: number;
  /** Whether it takes so long that a transaction which the node does not have counts as lost. */
  minute: boolean;
};

export type Story = { authors: Command[][]; turns: Turn[] };

const which = fc.oneof(fc.constant(0), fc.nat({ max: 3 }));
const simply = (...names: Simple[]) => fc.constantFrom(...names).map((name): Command => ({ do: name }));

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: simply("create") },
  { weight: 7, arbitrary: simply("mine") },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constantFrom("hand in" as const, "hand in" as const, "send" as const),
      which,
      again: fc.boolean(),
      // Most calls are as the wallet proposes them.
      enoughGas: fc.integer({ min: 0, max: 7 }).map((dice) => dice > 0),
      fee: fc.integer({ min: 1, max: 3 }),
      tell: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom("link" as const, "revoke" as const),
      which: fc.nat({ max: 1 }),
      both: fc.boolean(),
      rival: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom("sign" as const, "relay" as const, "void" as const),
      which,
      stranger: fc.integer({ min: 0, max: 3 }).map((dice) => dice === 0),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("carry out" as const), which, gasless: fc.boolean() }),
  },
  { weight: 6, arbitrary: simply("cancel", "speed up", "drop", "send again", "nothing") },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("lie" as const), which, stranger: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("refuse" as const, "expire" as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("mood" as const),
      mood: fc.constantFrom<Mood>("takes", "poor", "full"),
    }),
  },
);

const turn: fc.Arbitrary<Turn> = fc.record({
  reorg: fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }) },
  ),
  keep: fc.constantFrom("all" as const, "the authors'" as const, "nothing" as const),
  crash: fc.oneof(
    { weight: 6, arbitrary: fc.constant("no" as const) },
    { weight: 2, arbitrary: fc.constantFrom("between" as const, "while sending" as const) },
  ),
  empty: fc.integer({ min: 0, max: 2 }),
  minute: fc.integer({ min: 0, max: 2 }).map((dice) => dice === 0),
});

const found: Command = { do: "found" };
const ask = (name: "link" | "revoke", which: "one" | "both", rival = false): Command => ({
  do: name,
  which: 0,
  both: which === "both",
  rival,
});
const carryOut = (way: "own" | "gasless" = "own"): Command => ({
  do: "carry out",
  which: 0,
  gasless: way === "gasless",
});
/** What a chance of commands alone seldom leads to; whatever comes then goes on from there. */
const beginnings: Command[][] = [
  [],
  [{ do: "create" }, carryOut("gasless")],
  [{ do: "create" }, { do: "expire", which: 0 }, { do: "void", which: 0, stranger: false }, { do: "mine" }],
  [found],
  [found, ask("link", "one"), carryOut()],
  // Another request for a part of the same is carried out first.
  [found, ask("link", "both"), ask("link", "one", true), carryOut()],
  [found, ask("link", "both"), carryOut(), ask("revoke", "both"), ask("revoke", "one", true), carryOut()],
  // Many turns of a pair, of which a reorg may remove the first alone.
  [found, ask("link", "one"), carryOut(), ask("revoke", "one"), carryOut(), ask("link", "one")],
  [
    ...[found, ask("link", "one"), carryOut("gasless"), ask("revoke", "one"), carryOut("gasless")],
    ...[ask("link", "one"), carryOut(), ask("revoke", "one"), carryOut(), { do: "mine" } as const],
  ],
];

const sequence = (steps: number): fc.Arbitrary<Command[]> =>
  fc.oneof(
    ...beginnings.map((first) =>
      fc
        .array(command, { maxLength: steps - first.length, size: "max" })
        .map((commands) => [...first, ...commands]),
    ),
  );

/** So many authors who act at the same time, each by a sequence of commands. */
export const stories = (authors: number, steps: number): fc.Arbitrary<Story> =>
  fc.record({
    authors: fc.array(sequence(steps), { minLength: authors, maxLength: authors }),
    turns: fc.array(turn, { minLength: steps, maxLength: steps }),
  });
