import { expect } from "chai";
import { createForkGuard } from "../../../indexer/sync/fork-guard.ts";
import type { Node } from "../../../rpc/node.ts";

type Hash = `0x${string}`;
const [one, other] = ["11", "22"].map((byte): Hash => `0x${byte.repeat(32)}`) as [Hash, Hash];

/** A node that names one block, and a clock that is set by hand. */
function guarded() {
  let named = one;
  let time = 0;
  const node = { header: async () => ({ hash: named }) } as unknown as Node; // nothing else is asked of it
  const guard = createForkGuard(node, () => time);
  return {
    guard,
    name: (hash: Hash) => {
      named = hash;
    },
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

describe("the guard against a provider that alternates between two forks", () => {
  it("follows a fork that is new when three reads agree", async () => {
    const { guard, name } = guarded();
    name(other);
    expect(await guard.settle(7, one)).to.equal(other);
  });

  it("follows a fork that was left after ten seconds and five polls that agree, and not before", async () => {
    const { guard, name, pass } = guarded();
    guard.leave([one]);
    name(one);
    const early: string[] = [];
    for (let poll = 1; poll < 5; poll += 1) {
      early.push(await guard.settle(7, other).catch(({ message }: Error) => message));
      // Polls of a slow node: the time alone would be over by the third.
      pass(6_000);
    }
    expect(new Set(early)).to.deep.equal(
      new Set(["The chain is back on a fork that it had left; waiting whether it stays there"]),
    );
    expect(await guard.settle(7, other)).to.equal(one);
  });

  it("begins to wait anew when the chain has been on the indexed fork in between", async () => {
    const { guard, name, pass } = guarded();
    guard.leave([one]);
    name(one);
    for (let poll = 1; poll < 5; poll += 1) await guard.settle(7, other).catch(() => {});
    guard.agree();
    pass(60_000);
    expect(await guard.settle(7, other).catch(({ message }: Error) => message)).to.contain("waiting whether");
  });
});
