import { expect } from "chai";
import fc from "fast-check";
import { applyLinkChanges, type LinkEvent, LinkOutOfTurnError } from "../../../db/chain/links.ts";
import { pairStates } from "../../../db/reads/links.ts";
import { standingLinks } from "../../support/database/standing-links.ts";
import { chainOf, position, useDatabase, wordOf } from "../rows.ts";

const [parent, a, b, c] = ["parent", "a", "b", "c"].map(wordOf) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];

describe("the links of the index", () => {
  const store = useDatabase();
  let log = 0;

  beforeEach(async () => {
    log = 0;
    await store.write((tx) => chainOf(tx, 9));
  });

  const change = (kind: LinkEvent["kind"], from: `0x${string}`, to: `0x${string}`, at = 1) => {
    log += 1;
    return store.write((tx) =>
      applyLinkChanges(tx, [{ kind, parent: from, child: to, position: position(at, log) }]),
    );
  };
  const add = (child: `0x${string}`, at?: number) => change("added", parent, child, at);
  const revoke = (child: `0x${string}`, at?: number) => change("revoked", parent, child, at);
  const refusal = async (work: Promise<void>): Promise<unknown> => work.catch((reason: unknown) => reason);

  describe("given events in turn", () => {
    it("tells how often each pair was linked and whether it stands", async () => {
      await add(a);
      await revoke(a);
      await add(a);
      await add(b);
      await revoke(b);
      expect(await pairStates(store.pool, parent, [c, a, b])).to.deep.equal([
        { child: c, times: 0, stands: false },
        { child: a, times: 2, stands: true },
        { child: b, times: 1, stands: false },
      ]);
    });

    it("tells nothing of the pair in the other direction", async () => {
      await add(a);
      expect(await pairStates(store.pool, a, [parent])).to.deep.equal([
        { child: parent, times: 0, stands: false },
      ]);
      expect(await pairStates(store.pool, parent, [])).to.deep.equal([]);
    });

    it("answers standing links in the order of linking, from both ends", async () => {
      await add(b, 3);
      await add(a, 5);
      await add(c, 3);
      await change("added", c, parent, 4);
      await change("added", a, parent, 2);
      await revoke(b, 6);
      await add(b, 7);
      expect(await standingLinks(store.pool, parent)).to.deep.equal({ from: [a, c], to: [c, a, b] });
      expect(await standingLinks(store.pool, b)).to.deep.equal({ from: [parent], to: [] });
    });

    it("orders links of one block by their logs, not by their ids", async () => {
      const children = Array.from({ length: 12 }, (_, index) => wordOf(`child ${index}`));
      for (const child of children) await add(child);
      expect((await standingLinks(store.pool, parent)).to).to.deep.equal(children);
    });

    it("closes a circle", async () => {
      await add(a);
      await change("added", a, parent);
      expect(await standingLinks(store.pool, parent)).to.deep.equal({ from: [a], to: [a] });
    });
  });

  describe("given an event out of turn", () => {
    it("refuses to add a link that stands, and says where", async () => {
      await add(a);
      const error = await refusal(add(a, 4));
      expect(error).to.be.instanceOf(LinkOutOfTurnError);
      expect(error).to.have.property(
        "message",
        `The link ${parent} -> ${a} cannot be added at block 4, log 2: the index misses an earlier event of it`,
      );
    });

    it("refuses to revoke a link that was never added", async () => {
      expect(await refusal(revoke(a))).to.be.instanceOf(LinkOutOfTurnError);
    });

    it("refuses to revoke twice", async () => {
      await add(a);
      await revoke(a);
      expect(await refusal(revoke(a))).to.be.instanceOf(LinkOutOfTurnError);
    });

    it("refuses to revoke the link of the other direction", async () => {
      await add(a);
      expect(await refusal(change("revoked", a, parent))).to.be.instanceOf(LinkOutOfTurnError);
      expect((await standingLinks(store.pool, parent)).to).to.deep.equal([a]);
    });
  });

  it("takes exactly the sequences in which adding and revoking take turns", async () => {
    const kinds = fc.array(fc.constantFrom<LinkEvent["kind"]>("added", "revoked"), { maxLength: 8 });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(kinds, async (sequence) => {
        round += 1;
        const child = wordOf(`round ${round}`);
        let [times, stands] = [0, false];
        for (const kind of sequence) {
          const inTurn = stands === (kind === "revoked");
          const outcome = await refusal(change(kind, parent, child));
          expect(outcome instanceof LinkOutOfTurnError).to.equal(!inTurn);
          if (!inTurn) continue;
          if (kind === "added") times += 1;
          stands = !stands;
        }
        expect(await pairStates(store.pool, parent, [child])).to.deep.equal([{ child, times, stands }]);
      }),
      { numRuns: 60 },
    );
  });
});
