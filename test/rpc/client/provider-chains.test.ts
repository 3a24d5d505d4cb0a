import { expect } from "chai";
import type { Hex } from "viem";
import { createNoise } from "../../support/chain/strict-provider.ts";
import { type StrictRig, startStrictRig } from "../../support/rigs/strict-rig.ts";

type Block = { number: Hex; hash: Hex; parentHash: Hex };
const noise = createNoise(31);

describe("a chain that leaves out numbers", () => {
  let rig: StrictRig;
  beforeEach(async () => {
    rig = await startStrictRig({ range: 10 });
  });
  afterEach(() => rig.stop());

  /** Numbers without a block; the block behind them names the one before them for its parent. */
  async function leaveOut(numbers: readonly number[], how: (number: number) => unknown): Promise<void> {
    // The index holds the parents that the provider names, and the chain's own node others.
    rig.differOnPurpose();
    const out = new Set(numbers);
    const parents = new Map<number, Hex>();
    for (const number of out) {
      if (out.has(number + 1)) continue;
      let before = number - 1;
      while (out.has(before)) before -= 1;
      const { hash } = await rig.chain.getBlock({ blockNumber: BigInt(before) });
      parents.set(number + 1, hash as Hex);
    }
    const relinked = (result: unknown) => {
      const block = result as Block | null;
      const parentHash = block === null ? undefined : parents.get(Number(block.number));
      return parentHash === undefined ? block : { ...block, parentHash };
    };
    rig.provider.change("eth_getBlockByHash", relinked);
    rig.provider.change("eth_getBlockByNumber", (result, [tag]) =>
      typeof tag === "string" && tag.startsWith("0x") && out.has(Number(tag))
        ? how(Number(tag))
        : relinked(result),
    );
  }

  it("is followed through a reorg that leaves out a number which had a block before", async () => {
    await rig.mine(10);
    await rig.startIndexer();
    await rig.caughtUp();
    const { number } = await rig.chain.getBlock();
    await rig.anvil.rpc("anvil_reorg", [3, []]);
    await rig.mine(2);
    await leaveOut([Number(number) - 1, Number(number)], () => null);
    await rig.caughtUp();
    await rig.createTogether(1);
    await rig.mine();
    await rig.holds(1, 20);
  });

  const told: [string, (number: number) => unknown][] = [
    ["null", () => null],
    ["an error in its own words", () => ({ error: { code: 12, message: noise() } })],
  ];
  for (const [what, how] of told) {
    it(`is read over them, old and new ones, where the node says ${what}`, async () => {
      await rig.createTogether(1);
      await rig.mine(200);
      await rig.createTogether(1);
      await rig.mine();
      const head = Number((await rig.chain.getBlock()).number);
      const old = Array.from({ length: 14 }, (_, index) => 20 + index);
      const ends = [
        3,
        10,
        11,
        12,
        21,
        22,
        23,
        40,
        50,
        60,
        61,
        head - 130,
        head - 129,
        head - 128,
        head - 127,
      ];
      await leaveOut([...new Set([...old, ...ends, head - 20, head - 19, head - 3])], how);
      await rig.startIndexer();
      await rig.holds(2, 30);
      await rig.caughtUp();
      await rig.createTogether(1);
      await rig.mine();
      await rig.holds(3, 30);
    });
  }
});

describe("a node that tells in its own words that it does not have a block yet", () => {
  let rig: StrictRig;
  beforeEach(async () => {
    rig = await startStrictRig();
  });
  afterEach(() => rig.stop());

  it("is followed as far as it goes", async () => {
    await rig.mine(5);
    const lacking = Number((await rig.chain.getBlock()).number);
    let told = 0;
    rig.provider.change("eth_getBlockByNumber", (result, [tag]) => {
      if (tag === "latest" || Number(tag) < lacking || told > 3) return result;
      told += 1;
      return { error: { code: -32_000, message: noise() } };
    });
    await rig.startIndexer();
    await rig.caughtUp();
    expect(told).to.equal(4);
  });
});

describe("a provider that sends logs which are none", () => {
  let rig: StrictRig;
  beforeEach(async () => {
    rig = await startStrictRig();
  });
  afterEach(() => rig.stop());

  it("stops the index by no copies, and by none that the chain has removed", async () => {
    rig.provider.change("eth_getLogs", (result) => {
      const logs = result as object[];
      return [...logs, ...logs.map((log) => ({ ...log, removed: true, logIndex: "0x99" })), ...logs];
    });
    await rig.startIndexer();
    await rig.createTogether(2);
    await rig.mine();
    await rig.holds(2);
  });

  it("stops it by null for an empty list in no way", async () => {
    rig.provider.change("eth_getLogs", (result) => ((result as object[]).length === 0 ? null : result));
    await rig.createTogether(2);
    await rig.mine(140);
    await rig.startIndexer();
    await rig.holds(2);
    await rig.createTogether(1);
    await rig.mine();
    await rig.holds(3);
  });

  it("stops it by two that differ at one place, and is named with the block", async () => {
    await rig.startIndexer();
    await rig.caughtUp();
    rig.provider.change("eth_getLogs", (result) => {
      const logs = result as object[];
      return [...logs, ...logs.map((log) => ({ ...log, data: "0x00" }))];
    });
    await rig.createTogether(1);
    await rig.mine();
    const { number } = await rig.chain.getBlock();
    await rig.afterTrouble(2);
    expect(await rig.assets()).to.equal(0);
    const [line] = rig.logged.filter(({ reason }) => reason === "conflicting_logs");
    expect(line).to.include({ provider: new URL(rig.provider.url).host });
    expect(line?.err?.message).to.match(new RegExp(`two different logs at block ${number}, log index 0`));
    rig.provider.change("eth_getLogs", (result) => result);
    await rig.holds(1, 20);
  });
});
