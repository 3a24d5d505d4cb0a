import { expect } from "chai";
import { type LocalAccount, parseEther } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { inTransaction } from "../../../db/core/pool.ts";
import { budgetUsed } from "../../../db/service/relays/budget.ts";
import { readRelayer } from "../../../db/service/relays/relayer.ts";
import { gaslessTypedData } from "../../../domain/asset/gasless.ts";
import { owner } from "../../support/chain/accounts.ts";
import { refuse, signForRelayer } from "../../support/database/writes.ts";
import { eventually } from "../../support/eventually.ts";
import { type LiarRig, startLiarRig } from "../../support/rigs/liar-rig.ts";

describe("the relayer", () => {
  let rig: LiarRig;
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  const author = privateKeyToAccount(generatePrivateKey());

  beforeEach(async () => {
    rig = await startLiarRig({ relayer: { key, dailyBudget: parseEther("0.05") } });
    await rig.chain.setBalance({ address: account.address, value: parseEther("1") });
  });
  afterEach(() => rig.stop());

  async function sign(id: string, by: LocalAccount = author): Promise<void> {
    const signature = await by.signTypedData(gaslessTypedData(await rig.find(id)));
    await inTransaction(rig.pool, (tx) => signForRelayer(tx, id, { signature }));
  }

  async function signedCreation(by = author) {
    const creation = await rig.requestCreation(undefined, by);
    await sign(creation.id, by);
    return creation;
  }

  const sent = async () => rig.chain.getTransactionCount({ address: account.address });
  const obstacle = async (id: string) =>
    (await rig.pool.query("select obstacle from service.relays where request_id = $1", [id])).rows[0]
      ?.obstacle;
  const attempts = async () =>
    (await rig.pool.query("select filler, max_fee from service.relayer_attempts order by nonce, attempt"))
      .rows;

  it("brings a creation that its author only signed to Confirmed, and counts what it cost", async () => {
    const { id } = await signedCreation();
    expect(await rig.stateOf(id)).to.deep.equal({ state: "TxSignatureSubmitted" });
    await rig.startIndexer();
    await rig.reach(id, "Submitted");
    await rig.mine();
    await rig.reach(id, "Committed");
    await rig.mine(5);
    await rig.reach(id, "Confirmed");
    expect(await sent()).to.equal(1);
    const balance = await rig.chain.getBalance({ address: account.address });
    const spent = parseEther("1") - balance;
    await eventually(
      "the cost counted",
      () => budgetUsed(rig.pool, "test"),
      (used) => used === spent,
    );
    expect(await readRelayer(rig.pool)).to.include({ address: account.address, obstacle: undefined });
  });

  it("sends link changes of one author whatever their order", async () => {
    const [a, b, c] = [await signedCreation(), await signedCreation(), await signedCreation()];
    await rig.startIndexer();
    for (const { id } of [a, b, c]) await rig.reach(id, "Submitted");
    await rig.mine();
    for (const { id } of [a, b, c]) await rig.reach(id, "Committed");
    const link = (child: `0x${string}`) =>
      rig.requestLinkChange(a.asset, { kind: "link", targets: [{ child, nth: 1 }] }, author);
    const [unsigned, signed] = [await link(b.asset), await link(c.asset)];
    await sign(signed);
    await rig.reach(signed, "Submitted");
    await rig.mine();
    await rig.reach(signed, "Committed");
    await sign(unsigned);
    await rig.reach(unsigned, "Submitted");
    await rig.mine();
    await rig.reach(unsigned, "Committed");
  });

  it("given a crash between storing and sending, or before the answer: sends one transaction", async () => {
    for (const forwards of [false, true]) {
      const before = await sent();
      rig.liar.on("eth_sendRawTransaction", async ({ forward }) => {
        if (forwards) await forward();
        return "drop" as const;
      });
      const { id } = await signedCreation();
      await rig.startIndexer();
      await eventually("an attempt", attempts, (rows) => rows.length > before);
      await rig.stopIndexer();
      rig.liar.honest();
      await rig.startIndexer();
      await rig.reach(id, "Submitted");
      await rig.mine();
      await rig.reach(id, "Committed");
      await rig.stopIndexer();
      expect(await sent()).to.equal(before + 1);
    }
  });

  it("replaces a transaction that is stuck by one that offers at least 12.5 % more", async () => {
    await rig.startIndexer();
    const { id } = await signedCreation();
    await rig.reach(id, "Submitted");
    await rig.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: 100_000_000_000n });
    for (let block = 0; block < 3; block += 1) {
      await rig.mine();
      await rig.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: 100_000_000_000n });
    }
    const [first, second] = await eventually("a replacement", attempts, (rows) => rows.length > 1);
    expect(BigInt(second.max_fee) * 1000n >= BigInt(first.max_fee) * 1125n).to.equal(true);
    await rig.mine();
    await rig.reach(id, "Committed");
    expect(await sent()).to.equal(1);
  });

  it("sends again what a reorg took away", async () => {
    await rig.startIndexer();
    const { id } = await signedCreation();
    await rig.reach(id, "Submitted");
    await rig.mine();
    await rig.reach(id, "Committed");
    await rig.anvil.rpc("anvil_reorg", [1, []]);
    await rig.mine();
    await rig.reach(id, "Submitted");
    await eventually(
      "it in the pool",
      () => rig.anvil.rpc<{ pending: string }>("txpool_status"),
      ({ pending }) => Number(pending) === 1,
    );
    await rig.mine();
    await rig.reach(id, "Committed");
  });

  it("waits, and says why, while its balance or the tenant's budget is too low", async () => {
    await rig.chain.setBalance({ address: account.address, value: 1n });
    const { id } = await signedCreation();
    await rig.startIndexer();
    const low = "LOW_BALANCE";
    await eventually(
      "the reason",
      () => obstacle(id),
      (said) => said === low,
    );
    await eventually(
      "it told",
      async () => (await readRelayer(rig.pool))?.obstacle,
      (said) => said === low,
    );
    await rig.pool.query("update service.relays set estimated_cost = 1");
    const other = await rig.requestCreation(undefined, author);
    await inTransaction(rig.pool, (tx) => signForRelayer(tx, other.id, { estimatedCost: parseEther("1") }));
    await rig.chain.setBalance({ address: account.address, value: parseEther("1") });
    await eventually(
      "the budget named",
      () => obstacle(id),
      (said) => said === "OVER_BUDGET",
    );
    expect(await sent()).to.equal(0);
  });

  it("sends no call that the registry refuses, and ends it with the reason when that is final", async () => {
    const { id } = await rig.requestCreation(undefined, author);
    await sign(id, owner);
    await rig.startIndexer();
    await eventually(
      "the reason",
      () => obstacle(id),
      (said) => said === "SIGNATURE_INVALID",
    );
    expect((await rig.stateOf(id)).state).to.equal("TxSignatureSubmitted");
    await rig.mine(5);
    await rig.reach(id, "RevokedByTxServer");
    expect(await rig.stateOf(id)).to.deep.equal({ state: "RevokedByTxServer", reason: "SIGNATURE_INVALID" });
    expect(await sent()).to.equal(0);
  });

  it("sends nothing that its author refused, and uses up the nonce that was planned for it", async () => {
    rig.liar.on("eth_sendRawTransaction", () => ({ error: { code: -32000, message: "not now" } }));
    await rig.startIndexer();
    const { id } = await signedCreation();
    await eventually("a plan", attempts, (rows) => rows.length === 1);
    await inTransaction(rig.pool, (tx) => refuse(tx, id));
    await eventually("a filler", attempts, (rows) => rows.at(-1)?.filler === true);
    rig.liar.honest();
    const next = await signedCreation();
    await rig.reach(next.id, "Submitted");
    await rig.mine();
    await rig.reach(next.id, "Committed");
    expect(await rig.stateOf(id)).to.deep.equal({ state: "RevokedByUser", reason: "REFUSED" });
    expect(await sent()).to.equal(2);
  });
});
