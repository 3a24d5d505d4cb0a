import { expect } from "chai";
import { encodeAbiParameters, type Hex, keccak256, parseGwei, parseTransaction } from "viem";
import { inTransaction } from "../../../db/core/pool.ts";
import { budgetUsed } from "../../../db/service/relays/budget.ts";
import { readRelayer } from "../../../db/service/relays/relayer.ts";
import { highestDataFee } from "../../../db/service/relays/relayer-nonces.ts";
import { refuse as refuseRequest } from "../../support/database/writes.ts";
import { eventually } from "../../support/eventually.ts";
import { type RelayerRig, startRelayerRig } from "../../support/rigs/relayer-rig.ts";

const hex = (value: bigint | number): Hex => `0x${value.toString(16)}`;
const parse = (raw: string | undefined) => parseTransaction(raw as Hex);

describe("what the relayer pays", () => {
  let rig: RelayerRig;
  afterEach(() => rig.stop());

  async function start(options: Parameters<typeof startRelayerRig>[0] = {}): Promise<void> {
    rig = await startRelayerRig(options);
    await rig.startIndexer();
  }

  const refuse = (id: string) => inTransaction(rig.pool, (tx) => refuseRequest(tx, id));

  const relayerOf = () => readRelayer(rig.pool);
  const mineAt = async (baseFeePerGas: bigint) => {
    await rig.chain.setNextBlockBaseFeePerGas({ baseFeePerGas });
    await rig.mine();
    await rig.caughtUp();
  };

  /** A node that takes everything, says that it has it, and hands it on to nobody. */
  function cutOff(): void {
    const held = new Map<string, Hex>();
    rig.liar.on("eth_sendRawTransaction", ({ params }) => {
      const raw = params[0] as Hex;
      held.set(keccak256(raw), raw);
      return { result: keccak256(raw) };
    });
    rig.liar.on("eth_getTransactionByHash", async ({ params, forward }) => {
      const found = await forward();
      const raw = held.get(params[0] as string);
      if (found !== null || raw === undefined) return { result: found };
      const { to, data = "0x", nonce = 0, gas = 0n, maxFeePerGas = 0n } = parse(raw);
      const from = rig.account.address.toLowerCase();
      const amounts = { value: "0x0", nonce: hex(nonce), gas: hex(gas), maxFeePerGas: hex(maxFeePerGas) };
      return { result: { hash: params[0], from, to, input: data, ...amounts, blockHash: null } };
    });
  }

  it("is no tip that a node asks for out of all proportion", async () => {
    rig = await startRelayerRig();
    rig.liar.on("eth_maxPriorityFeePerGas", () => ({ result: hex(parseGwei("90000")) }));
    await rig.startIndexer();
    const { id } = await rig.signedCreation();
    await rig.reach(id, "Submitted");
    const [attempt] = await rig.attempts();
    expect(parse(attempt?.raw).maxPriorityFeePerGas).to.equal(parseGwei("50"));
  });

  it("is nothing while the chain asks for more than RELAYER_MAX_FEE, which it says, and is sent when it does not", async () => {
    await start({ maxFee: parseGwei("20") });
    await mineAt(parseGwei("40"));
    const { id } = await rig.signedCreation();
    await rig.waitsFor(id, "OVER_MAX_FEE");
    await eventually("the relayer says so", relayerOf, (relayer) => relayer?.obstacle === "OVER_MAX_FEE");
    expect(await rig.attempts()).to.deep.equal([]);
    await mineAt(parseGwei("2"));
    await rig.pool.query("update service.relays set next_attempt_at = now()");
    await rig.reach(id, "Submitted");
    for (const { maxFee } of await rig.attempts()) expect(BigInt(maxFee) <= parseGwei("20")).to.equal(true);
  });

  it("ends at RELAYER_MAX_FEE for what only uses a nonce up, and names the nonce that is stuck", async () => {
    await start({ maxFee: parseGwei("20") });
    cutOff();
    const { id } = await rig.signedCreation();
    await rig.reach(id, "Submitted");
    await refuse(id);
    for (let round = 0; round < 12; round += 1) {
      await rig.mine(25);
      await rig.caughtUp();
    }
    const stuck = await eventually("the stuck nonce", relayerOf, (relayer) => relayer?.stuck !== undefined);
    expect(stuck?.stuck?.nonce).to.equal(0);
    const rows = await rig.attempts();
    expect(rows.some(({ filler }) => filler)).to.equal(true);
    for (const { maxFee } of rows) expect(BigInt(maxFee) <= parseGwei("20")).to.equal(true);
    // Each fee has twice the time of the one before.
    expect(rows).to.have.length.within(2, 9);
    rig.liar.honest();
    rig.differOnPurpose();
  });

  it("stays within the budget for what only uses a nonce up", async () => {
    const dailyBudget = 10n ** 15n;
    await start({ dailyBudget });
    cutOff();
    const { id } = await rig.signedCreation();
    await rig.reach(id, "Submitted");
    await refuse(id);
    for (let round = 0; round < 12; round += 1) {
      await mineAt(parseGwei("1") + BigInt(round) * parseGwei("20"));
      await rig.mine(25);
      await rig.caughtUp();
    }
    expect((await budgetUsed(rig.pool, "test")) <= dailyBudget).to.equal(true);
    rig.liar.honest();
    rig.differOnPurpose();
  });

  it("is raised no more while the head is old: the node may be cut off", async () => {
    await start();
    cutOff();
    const { id } = await rig.signedCreation();
    await rig.reach(id, "Submitted");
    rig.liar.on("eth_getBlockByNumber", async ({ forward }) => {
      const block = (await forward()) as { timestamp?: string } | null;
      if (block !== null) block.timestamp = hex(Math.floor(Date.now() / 1000) - 400);
      return { result: block };
    });
    await rig.mine(6);
    await rig.caughtUp();
    await eventually(
      "it named as stuck",
      async () => {
        await rig.mine();
        return relayerOf();
      },
      (relayer) => relayer?.stuck !== undefined,
    );
    expect(await rig.attempts()).to.have.length(1);
    rig.liar.honest();
    rig.differOnPurpose();
  });

  it("is gas enough for what only uses a nonce up, where a plain transfer takes more than 21,000", async () => {
    rig = await startRelayerRig();
    rig.holdBack();
    await rig.startIndexer();
    const { id: refused } = await rig.signedCreation();
    await eventually("a plan", rig.attempts, (rows) => rows.length === 1);
    await refuse(refused);
    rig.liar.on("eth_sendRawTransaction", ({ params }) => {
      const { data, gas = 0n } = parse(params[0] as string);
      const isTooLittle = data === undefined && gas < 90_000n;
      return isTooLittle ? { error: { code: -32000, message: "intrinsic gas too low" } } : undefined;
    });
    const { id, asset } = await rig.signedCreation();
    await eventually("both in the pool", rig.pending, (count) => count === 2);
    await rig.mine();
    await rig.reach(id, "Committed");
    for (const msg of ["relayer transaction sent", "relayer transaction replaced"]) {
      expect(
        rig.logged.find((line) => line.msg === msg),
        msg,
      ).to.include.keys("hash", "nonce");
    }
    expect(rig.logged.find((line) => line.asset === asset)).to.include({ msg: "relayer transaction sent" });
    expect(JSON.stringify(rig.logged), "the id is a capability").not.to.include(id);
    expect((await relayerOf())?.stuck).to.equal(undefined);
  });

  it("counts the fee of the data that a rollup's oracle names, before it is sent", async () => {
    rig = await startRelayerRig({ dailyBudget: 10n ** 17n });
    const fee = 4n * 10n ** 16n;
    const oracle = "0x420000000000000000000000000000000000000f";
    rig.liar.on("eth_call", ({ params }) =>
      (params[0] as { to: string }).to.toLowerCase() === oracle
        ? { result: encodeAbiParameters([{ type: "uint256" }], [fee]) }
        : undefined,
    );
    await rig.startIndexer();
    const [first, second] = [await rig.signedCreation(), await rig.signedCreation()];
    await rig.reach(first.id, "Submitted");
    await rig.waitsFor(second.id, "OVER_BUDGET");
    expect((await budgetUsed(rig.pool, "test")) > (fee * 3n) / 2n).to.equal(true);
  });

  it("learns the fee of the data from receipts where there is no oracle", async () => {
    await start({ dailyBudget: 10n ** 17n });
    rig.liar.on("eth_getTransactionReceipt", async ({ forward }) => {
      const receipt = (await forward()) as object | null;
      return { result: receipt && { ...receipt, l1Fee: hex(10n ** 16n) } };
    });
    const first = await rig.signedCreation();
    await rig.reach(first.id, "Submitted");
    expect((await budgetUsed(rig.pool, "test")) < 10n ** 16n).to.equal(true);
    await rig.mine();
    await rig.reach(first.id, "Committed");
    await eventually(
      "its cost",
      () => budgetUsed(rig.pool, "test"),
      (used) => used > 10n ** 16n,
    );
    const second = await rig.signedCreation();
    await rig.reach(second.id, "Submitted");
    expect((await budgetUsed(rig.pool, "test")) > 2n * 10n ** 16n).to.equal(true);
    expect((await highestDataFee(rig.pool)) > 0n).to.equal(true);
    await rig.pool.query("update service.relayer_nonces set spent_at = spent_at - interval '25 hours'");
    expect(await highestDataFee(rig.pool)).to.equal(0n);
  });

  for (const [field, value] of [
    ["l1Fee", 2n ** 256n - 1n],
    ["l1Fee", 10n ** 30n],
    ["effectiveGasPrice", 2n ** 256n - 1n],
    ["gasUsed", 2n ** 256n - 1n],
  ] as const) {
    it(`believes no receipt that says what cannot be: ${field} of ${value}`, async () => {
      await start();
      rig.liar.on("eth_getTransactionReceipt", async ({ forward }) => {
        const receipt = (await forward()) as object | null;
        return { result: receipt && { ...receipt, [field]: hex(value) } };
      });
      const first = await rig.signedCreation();
      await rig.reach(first.id, "Submitted");
      const counted = await budgetUsed(rig.pool, "test");
      await rig.mine();
      await rig.reach(first.id, "Committed");
      const spent = async () =>
        (await rig.pool.query("select spent, data_fee from service.relayer_nonces where nonce = 0")).rows[0];
      const noted = await eventually("its cost", spent, (row) => row.spent !== null);
      expect(noted).to.deep.equal({ spent: String(counted), data_fee: null });
      expect(await highestDataFee(rig.pool)).to.equal(0n);
      const second = await rig.signedCreation();
      await rig.reach(second.id, "Submitted");
    });
  }
});
