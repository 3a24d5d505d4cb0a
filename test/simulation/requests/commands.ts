import fc from "fast-check";
import type { Mood } from "./chain.ts";

/** What may happen to one author's requests; `which` picks one of them, the newest by 0. */
export type Command =
  | { do: "create" | "link" | "revoke" | "cancel" | "speed up" | "drop" | "send again" | "mine" | "nothing" }
  | { do: "hand in" | "send"; which: number; again: boolean; enoughGas: boolean; fee: number; tell: boolean }
  | { do: "refuse" | "expire"; which: number }
  | { do: "mood"; mood: Mood };

/** What happens to all of them in one step. */
export type Turn = { reorg: number; keep: boolean; crash: boolean; empty: number };

export type Story = { authors: Command[][]; turns: Turn[] };

const which = fc.oneof(fc.constant(0), fc.nat({ max: 3 }));

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Command>({ do: "create" }) },
  { weight: 6, arbitrary: fc.constant<Command>({ do: "mine" }) },
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
    weight: 4,
    arbitrary: fc.constantFrom("link", "revoke").map((name) => ({ do: name }) as Command),
  },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom("cancel", "speed up", "drop", "send again", "nothing")
      .map((name) => ({ do: name }) as Command),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("refuse" as const, "expire" as const), which }) },
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
  keep: fc.boolean(),
  crash: fc.integer({ min: 0, max: 4 }).map((dice) => dice === 0),
  empty: fc.integer({ min: 0, max: 2 }),
});

const handIn = { do: "hand in", again: false, enoughGas: true, fee: 1, tell: false } as const;
/** Two assets on the chain, which links need. */
const twoAssets: Command[] = [
  { do: "create" },
  { do: "create" },
  { ...handIn, which: 1 },
  { ...handIn, which: 0 },
  { do: "mine" },
];
const aLink: Command[] = [...twoAssets, { do: "link" }, { ...handIn, which: 0 }, { do: "mine" }];

const sequence = (steps: number): fc.Arbitrary<Command[]> =>
  fc.oneof(
    ...[[], twoAssets, aLink].map((first) =>
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
