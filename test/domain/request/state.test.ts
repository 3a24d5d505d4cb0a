import { expect } from "chai";
import fc from "fast-check";
import {
  assetStates,
  type Derived,
  deriveState,
  type Facts,
  isRevoked,
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
    describe("when a transaction reverted", () => {
      it("is RevokedByBlockchain, with why it reverted", () => {
        const derived = deriveState({ ...nothing, reverted: "OUT_OF_GAS", signed: true, accepted: true });
        expect(derived).to.deep.equal({ state: "RevokedByBlockchain", reason: "OUT_OF_GAS" });
      });
    });

    describe("when the author refused it", () => {
      it("is RevokedByUser, REFUSED", () => {
        const derived = deriveState({ ...nothing, refused: true, nonceUsed: true });
        expect(derived).to.deep.equal({ state: "RevokedByUser", reason: "REFUSED" });
      });
    });

    describe("when its nonces are used up", () => {
      it("is RevokedByUser, NONCE_USED", () => {
        const derived = deriveState({ ...nothing, nonceUsed: true, givenUp: "REJECTED", accepted: true });
        expect(derived).to.deep.equal({ state: "RevokedByUser", reason: "NONCE_USED" });
      });
    });

    describe("when the service gave it up", () => {
      it("is RevokedByTxServer, with why", () => {
        const derived = deriveState({ ...nothing, givenUp: "EXPIRED" });
        expect(derived).to.deep.equal({ state: "RevokedByTxServer", reason: "EXPIRED" });
      });
    });

    describe("when the node accepted it", () => {
      it("is Submitted", () => {
        expect(deriveState({ ...nothing, accepted: true, signed: true })).to.deep.equal({
          state: "Submitted",
        });
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

describe("the precedence of states", () => {
  /** The precedence of the facts: the first row that holds names the state. */
  const table: [holds: (facts: Facts) => boolean, derive: (facts: Facts) => Derived][] = [
    [
      ({ effect, finalBlock }) => effect !== undefined && effect <= finalBlock,
      () => ({ state: "Confirmed" }),
    ],
    [({ effect }) => effect !== undefined, () => ({ state: "Committed" })],
    [
      ({ reverted }) => reverted !== undefined,
      ({ reverted = "" }) => ({ state: "RevokedByBlockchain", reason: reverted }),
    ],
    [({ refused }) => refused, () => ({ state: "RevokedByUser", reason: "REFUSED" })],
    [({ nonceUsed }) => nonceUsed, () => ({ state: "RevokedByUser", reason: "NONCE_USED" })],
    [
      ({ givenUp }) => givenUp !== undefined,
      ({ givenUp = "" }) => ({ state: "RevokedByTxServer", reason: givenUp }),
    ],
    [({ accepted }) => accepted, () => ({ state: "Submitted" })],
    [({ signed }) => signed, () => ({ state: "TxSignatureSubmitted" })],
    [() => true, () => ({ state: "Received" })],
  ];

  const anyReason = fc.option(fc.constantFrom(...Object.keys(reasons), "NOT_AUTHOR", ""), { nil: undefined });
  const anyFacts: fc.Arbitrary<Facts> = fc.record({
    effect: fc.option(fc.nat(4), { nil: undefined }),
    finalBlock: fc.integer({ min: -1, max: 4 }),
    reverted: anyReason,
    nonceUsed: fc.boolean(),
    refused: fc.boolean(),
    givenUp: anyReason,
    accepted: fc.boolean(),
    signed: fc.boolean(),
  });

  it("is the table's, whatever the facts", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const [, derive] = table.find(([holds]) => holds(facts)) ?? [];
        expect(deriveState(facts)).to.deep.equal(derive?.(facts));
      }),
      { numRuns: 5_000 },
    );
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

describe("the reasons beside a state", () => {
  for (const [code, words] of Object.entries(reasons)) {
    it(`${code} completes a sentence`, () => {
      expect(code).to.match(/^[A-Z]+(_[A-Z]+)*$/);
      expect(words).to.match(/^[a-z].*[^\s.]$/);
    });
  }
});
