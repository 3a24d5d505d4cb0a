import fc from "fast-check";
import type { Mood } from "./chain.ts";

type Simple = "found" | "create" | "cancel" | "speed up" | "drop" | "send again" | "mine" | "nothing";

/** Who sends a change: a wallet, or a stranger what the author has signed. */
type Way = "own" | "gasless";

/** What may happen to one author's requests; `which` picks one of them, the newest by 0. */
export type Command =
  | { do: Simple }
  /** Links, or unlinks, one or two others, though another request may ask for the same; it may be mined at once. */
  | { do: "link" | "revoke"; which: number; both: boolean; rival: boolean; carriedOut: Way | "no" }
  | { do: "hand in" | "send"; which: number; again: boolean; enoughGas: boolean; fee: number; tell: boolean }
  /** A wallet sends it, or a stranger what the author signs, and it is mined at once. */
  | { do: "carry out"; which: number; gasless: boolean }
  /** The gasless way: the author signs, somebody sends it, the author voids it, or a stranger their own. */
  | { do: "sign" | "relay" | "void"; which: number; stranger: boolean }
  /** Reports a hash that is not of the request: the same call by somebody else, or another one. */
  | { do: "lie"; which: number; stranger: boolean }
  /** `late`: just when the service finds that the node has lost a transaction of it, and is about to send it again. */
  | { do: "refuse"; which: number; late: boolean }
  | { do: "expire"; which: number }
  | { do: "mood"; mood: Mood };

/** What happens to all of them in one step. */
export type Turn = {
  /** Depth of a reorg. */
  reorg: number;
  /** Of which authors it puts what back into the pool: each in turn has another fate, this is the first's. */
  keep: number;
  /** When the service is killed and started again. */
  crash: "no" | "between" | "while sending";
  /** Empty blocks behind the one that is mined. */
  empty: number;
  /** Whether it takes so long that a transaction which the node does not have counts as lost. */
  minute: boolean;
};

/** What goes back into the pool of that which a reorg removes. */
const fates = ["all", "the author's", "nothing"] as const;
export const fateOf = ({ keep }: Turn, author: number): (typeof fates)[number] =>
  fates[(keep + author) % fates.length] as (typeof fates)[number];

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
      carriedOut: fc.constantFrom("no" as const, "no" as const, "own" as const, "gasless" as const),
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
  { weight: 2, arbitrary: fc.record({ do: fc.constant("refuse" as const), which, late: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("expire" as const), which }) },
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
  keep: fc.nat({ max: 2 }),
  crash: fc.oneof(
    { weight: 6, arbitrary: fc.constant("no" as const) },
    { weight: 2, arbitrary: fc.constantFrom("between" as const, "while sending" as const) },
  ),
  empty: fc.constantFrom(0, 0, 0, 1, 2),
  minute: fc.integer({ min: 0, max: 2 }).map((dice) => dice === 0),
});

/** What happens in each step; one reorg falls where the beginnings end, and reaches into them. */
const turns = (steps: number): fc.Arbitrary<Turn[]> =>
  fc
    .tuple(
      fc.array(turn, { minLength: steps, maxLength: steps }),
      fc.integer({ min: 3, max: 7 }),
      fc.integer({ min: 4, max: 16 }),
    )
    .map(([all, at, reorg]) => all.map((one, step) => (step === at ? { ...one, reorg } : one)));

const found: Command = { do: "found" };
const create: Command = { do: "create" };
const mine: Command = { do: "mine" };
const ask = (name: "link" | "revoke", which: "one" | "both", carriedOut: Way | "no" = "no"): Command => ({
  do: name,
  which: 0,
  both: which === "both",
  rival: true,
  carriedOut,
});
const carryOut = (way: Way = "own"): Command => ({ do: "carry out", which: 0, gasless: way === "gasless" });
const handIn = (gas: "enough" | "too little" = "enough"): Command => ({
  do: "hand in",
  which: 0,
  again: false,
  enoughGas: gas === "enough",
  fee: 1,
  tell: false,
});
const turnOver = (way: Way, which: "one" | "both" = "one") => [
  ask("link", which, way),
  ask("revoke", which, way),
];
/** What a chance of commands alone seldom leads to; whatever comes then goes on from there. */
const beginnings: Command[][] = [
  [],
  [create, carryOut("gasless")],
  [create, { do: "expire", which: 0 }, { do: "void", which: 0, stranger: false }, mine],
  // Its author refuses it while the service sends it again.
  [create, handIn(), { do: "refuse", which: 0, late: true }, { do: "drop" }],
  // A second transaction that nobody may send once the first was executed in vain.
  [create, handIn("too little"), handIn(), mine],
  [found],
  [found, ask("link", "one"), carryOut()],
  // Others carry out a part of it first, or all of it, part by part.
  [found, ask("link", "both"), ask("link", "one", "own")],
  [found, ask("link", "both"), ask("link", "one", "own"), ask("link", "one", "gasless")],
  [found, ask("link", "both", "own"), ask("revoke", "both"), ask("revoke", "one", "own")],
  [
    found,
    ask("link", "both", "own"),
    ask("revoke", "both"),
    ask("revoke", "one", "own"),
    ask("revoke", "one", "own"),
  ],
  // Many turns of a pair, of which a reorg may remove those that a stranger sent, and put the author's back.
  [found, ...turnOver("own"), ask("link", "one")],
  [found, ...turnOver("gasless"), ask("link", "one", "own"), mine, mine, mine],
  [found, ...turnOver("gasless"), ...turnOver("own"), mine, mine, mine],
  [found, ...turnOver("gasless", "both"), ...turnOver("own", "both"), mine, mine, mine],
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
    turns: turns(steps),
  });
