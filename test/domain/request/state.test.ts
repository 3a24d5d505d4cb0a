import { expect } from "chai";
import fc from "fast-check";
import {
  assetStates,
  type Derived,
  deriveState,
  type Facts,
  isClosed,
  isRevoked,
  isSettled,
  noncesUsedAt,
  nothingYet,
  reasons,
} from "../../../domain/request/state.ts";
import { followsTree } from "../../support/tree.ts";

/** Nothing has happened: every test adds the facts that it is about. */
const nothing: Facts = { ...nothingYet, finalBlock: 100 };

describe("deriveState", () => {
  followsTree(new URL("deriveState.tree", import.meta.url));

  describe("given the change is in the current chain", () => {
    describe("when its block is final", () => {
      it("is Confirmed", () => {
        expect(deriveState({ ...nothing, effect: 100 })).to.deep.equal({ state: "Confirmed" });
        expect(deriveState({ ...nothing, effect: 0, finalBlock: 0 })).to.deep.equal({ state: "Confirmed" });
      });
    });

    describe("when its block is not final", () => {
      it("is Committed", () => {
        expect(deriveState({ ...nothing, effect: 101 })).to.deep.equal({ state: "Committed" });
        expect(deriveState({ ...nothing, effect: 0, finalBlock: -1 })).to.deep.equal({ state: "Committed" });
      });
    });
  });

  describe("given the change is not in the current chain", () => {
    /** All that can happen beside what a test is about, and comes after it. */
    const everything = {
      ...nothing,
      reverted: { block: 3, reason: "OUT_OF_GAS" },
      nonces: { known: 1, open: 0, passed: 3 },
      overdue: true,
      accepted: true,
      signed: true,
    };

    describe("when the author refused it", () => {
      it("is RevokedByUser, REFUSED", () => {
        const derived = deriveState({ ...everything, refused: true, givenUp: "REJECTED" });
        expect(derived).to.deep.equal({ state: "RevokedByUser", reason: "REFUSED" });
      });
    });

    describe("when the service gave it up", () => {
      describe("for a used nonce", () => {
        it("is RevokedByUser, NONCE_USED", () => {
          const derived = deriveState({ ...everything, givenUp: "NONCE_USED" });
          expect(derived).to.deep.equal({ state: "RevokedByUser", reason: "NONCE_USED" });
        });
      });

      describe("for another reason", () => {
        it("is RevokedByTxServer, with why", () => {
          const derived = deriveState({ ...everything, givenUp: "REJECTED" });
          expect(derived).to.deep.equal({ state: "RevokedByTxServer", reason: "REJECTED" });
        });
      });
    });

    describe("when a transaction reverted", () => {
      it("is RevokedByBlockchain, with why it reverted", () => {
        expect(deriveState(everything)).to.deep.equal({ state: "RevokedByBlockchain", reason: "OUT_OF_GAS" });
      });
    });

    describe("when its nonces are used up", () => {
      it("is RevokedByUser, NONCE_USED", () => {
        const derived = deriveState({ ...everything, reverted: undefined });
        expect(derived).to.deep.equal({ state: "RevokedByUser", reason: "NONCE_USED" });
      });
    });

    describe("when it expired", () => {
      it("is RevokedByTxServer, EXPIRED", () => {
        const derived = deriveState({ ...nothing, overdue: true, relayed: true, signed: true });
        expect(derived).to.deep.equal({ state: "RevokedByTxServer", reason: "EXPIRED" });
      });
    });

    describe("when the node accepted it", () => {
      it("is Submitted", () => {
        const derived = deriveState({ ...nothing, accepted: true, signed: true, overdue: true });
        expect(derived).to.deep.equal({ state: "Submitted" });
      });
    });

    describe("when the author signed it", () => {
      it("is TxSignatureSubmitted", () => {
        expect(deriveState({ ...nothing, signed: true })).to.deep.equal({ state: "TxSignatureSubmitted" });
      });
    });

    describe("when nothing happened yet", () => {
      it("is Received", () => {
        expect(deriveState(nothing)).to.deep.equal({ state: "Received" });
      });
    });
  });
});

describe("noncesUsedAt", () => {
  const cases: [what: string, facts: Partial<Facts>, block: number | undefined][] = [
    ["nothing was sent", {}, undefined],
    ["a transaction's nonce is open", { nonces: { known: 2, open: 1, passed: 3 } }, undefined],
    ["the nonce of each transaction is passed", { nonces: { known: 2, open: 0, passed: 3 } }, 3],
    ["nothing was sent, and the signature was voided", { voided: 4 }, 4],
    [
      "a signature waits beside passed nonces",
      { nonces: { known: 1, open: 0, passed: 3 }, relayed: true },
      undefined,
    ],
    ["both ways were closed", { nonces: { known: 1, open: 0, passed: 3 }, relayed: true, voided: 4 }, 4],
    [
      "a voided signature stands beside an open nonce",
      { nonces: { known: 1, open: 1, passed: undefined }, voided: 4 },
      undefined,
    ],
  ];
  for (const [what, facts, block] of cases) {
    it(`is ${block === undefined ? "no block" : `block ${block}`} where ${what}`, () => {
      expect(noncesUsedAt({ ...nothing, ...facts })).to.equal(block);
    });
  }
});

const block = fc.option(fc.nat(4), { nil: undefined });
const anyReason = fc.option(fc.constantFrom(...Object.keys(reasons), "NOT_AUTHOR", ""), { nil: undefined });
const anyFacts: fc.Arbitrary<Facts> = fc.record({
  effect: block,
  finalBlock: fc.integer({ min: -1, max: 4 }),
  reverted: fc.option(
    fc.record({ block: fc.nat(4), reason: fc.constantFrom("OUT_OF_GAS", "NOT_AUTHOR", "") }),
    { nil: undefined },
  ),
  nonces: fc.constantFrom(
    { known: 0, open: 0, passed: undefined },
    { known: 1, open: 1, passed: undefined },
    { known: 2, open: 1, passed: 2 },
    { known: 1, open: 0, passed: 3 },
  ),
  voided: block,
  relayed: fc.boolean(),
  signed: fc.boolean(),
  accepted: fc.boolean(),
  refused: fc.boolean(),
  givenUp: anyReason,
  overdue: fc.boolean(),
});
const whatever = (check: (facts: Facts) => void) =>
  fc.assert(fc.property(anyFacts, check), { numRuns: 5_000 });

describe("the precedence of states", () => {
  /** The precedence of the facts: the first row that holds names the state. */
  const table: [holds: (facts: Facts) => boolean, derive: (facts: Facts) => Derived][] = [
    [
      ({ effect, finalBlock }) => effect !== undefined && effect <= finalBlock,
      () => ({ state: "Confirmed" }),
    ],
    [({ effect }) => effect !== undefined, () => ({ state: "Committed" })],
    [({ refused }) => refused, () => ({ state: "RevokedByUser", reason: "REFUSED" })],
    [({ givenUp }) => givenUp === "NONCE_USED", () => ({ state: "RevokedByUser", reason: "NONCE_USED" })],
    [
      ({ givenUp }) => givenUp !== undefined,
      ({ givenUp = "" }) => ({ state: "RevokedByTxServer", reason: givenUp }),
    ],
    [
      ({ reverted }) => reverted !== undefined,
      ({ reverted }) => ({ state: "RevokedByBlockchain", reason: reverted?.reason ?? "" }),
    ],
    [
      ({ nonces, relayed, voided }) =>
        nonces.open === 0 && (voided !== undefined || (nonces.known > 0 && !relayed)),
      () => ({ state: "RevokedByUser", reason: "NONCE_USED" }),
    ],
    [
      ({ overdue, nonces, accepted }) => overdue && nonces.known === 0 && !accepted,
      () => ({ state: "RevokedByTxServer", reason: "EXPIRED" }),
    ],
    [({ accepted }) => accepted, () => ({ state: "Submitted" })],
    [({ signed }) => signed, () => ({ state: "TxSignatureSubmitted" })],
    [() => true, () => ({ state: "Received" })],
  ];

  it("is the table's, whatever the facts", () => {
    whatever((facts) => {
      const [, derive] = table.find(([holds]) => holds(facts)) ?? [];
      expect(deriveState(facts)).to.deep.equal(derive?.(facts));
    });
  });

  it("reaches each of the eight states", () => {
    const reached = new Set(table.map(([, derive]) => derive(nothing).state));
    expect([...reached]).to.have.members([...assetStates]);
    expect(assetStates).to.have.lengthOf(8);
  });
});

describe("isRevoked", () => {
  it("holds for the three Revoked states only", () => {
    expect(assetStates.filter(isRevoked)).to.have.members([
      "RevokedByTxServer",
      "RevokedByUser",
      "RevokedByBlockchain",
    ]);
  });
});

describe("isClosed", () => {
  it("holds once the chain has the change, or the request is revoked, and else never", () => {
    const open = ["Received", "TxSignatureSubmitted", "Submitted"];
    whatever((facts) => {
      expect(isClosed(facts)).to.equal(!open.includes(deriveState(facts).state));
    });
  });
});

describe("isSettled", () => {
  it("holds for no request that is open, or whose change is not final", () => {
    whatever((facts) => {
      if (!isClosed(facts) || deriveState(facts).state === "Committed")
        expect(isSettled(facts)).to.equal(false);
    });
  });

  const cases: [what: string, facts: Partial<Facts>, settled: boolean][] = [
    ["is confirmed", { effect: 100 }, true],
    ["was refused", { refused: true }, true],
    ["was given up", { givenUp: "REJECTED" }, true],
    ["expired", { overdue: true }, true],
    ["reverted in a final block", { reverted: { block: 100, reason: "REVERTED" } }, true],
    ["reverted in a block that may go", { reverted: { block: 101, reason: "REVERTED" } }, false],
    ["was passed by a final block", { nonces: { known: 1, open: 0, passed: 100 } }, true],
    ["was passed by a block that may go", { nonces: { known: 1, open: 0, passed: 101 } }, false],
    ["was voided in a block that may go", { voided: 101 }, false],
    ["was voided, and expired since", { voided: 101, overdue: true }, true],
  ];
  for (const [what, facts, settled] of cases) {
    it(`${settled ? "holds" : "does not hold"} for a request that ${what}`, () => {
      expect(isSettled({ ...nothing, ...facts })).to.equal(settled);
    });
  }
});

describe("the reasons beside a state", () => {
  for (const [code, words] of Object.entries(reasons)) {
    it(`${code} completes a sentence`, () => {
      expect(code).to.match(/^[A-Z]+(_[A-Z]+)*$/);
      expect(words).to.match(/^[a-z].*[^\s.]$/);
    });
  }
});
