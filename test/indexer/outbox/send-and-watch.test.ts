import { expect } from "chai";
import { keccak256 } from "viem";
import { startApi, type TestApi } from "../../support/api.ts";
import { other, owner, third } from "../../support/chain/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { type LiarRig, startLiarRig } from "../../support/rigs/liar-rig.ts";

describe("a transaction that the node loses, rejects or has twice", () => {
  let rig: LiarRig;
  let api: TestApi;

  beforeEach(async () => {
    rig = await startLiarRig();
    api = await startApi({
      database: rig.database,
      rpcUrl: rig.anvil.url,
      registry: rig.registry,
      indexed: false,
    });
    await rig.startIndexer();
  });
  afterEach(async () => {
    await api.stop();
    await rig.stop();
  });

  const states = async (id: string) => (await rig.history(id)).map(({ state }) => state);

  /** Asks for an asset through the API. */
  async function ask(author = owner) {
    const { value } = await api.post("/assets/", { name: "Lease", author: author.address });
    const { id: asset, transactionId: id } = value as { id: string; transactionId: string };
    return { asset, id, calldata: (await rig.find(id)).calldata };
  }

  type Hint = { code: string; since: string; message: string } | undefined;

  /** What the API tells beside the state; the same in both places, but for a change between two questions. */
  async function hints({ asset, id }: { asset: string; id: string }): Promise<Hint> {
    const [seen] = await eventually(
      "one answer in both places",
      async () =>
        (await Promise.all([api.get(`/assets/${asset}/status`), api.get(`/transactions/${id}`)])).map(
          ({ value }): Hint => value.hint,
        ),
      ([status, transaction]) => JSON.stringify(status) === JSON.stringify(transaction),
    );
    return seen;
  }

  const hinted = (asked: { asset: string; id: string }, code: string) =>
    eventually(
      `the hint ${code}`,
      () => hints(asked),
      (hint) => hint?.code === code,
    );

  const rewind = (column: string, seconds: number) =>
    rig.pool.query(
      `update service.transactions set ${column} = ${column} - make_interval(secs => ${seconds})`,
    );

  /** Waits until so many transactions have had their look after they were rewound. */
  const lookedAt = (transactions: number) =>
    eventually(
      `${transactions} attempts`,
      () =>
        rig.pool.query(
          "select from service.transactions where next_attempt_at > now() - interval '5 minutes'",
        ),
      ({ rowCount }) => rowCount === transactions,
    );

  const minedOf = async (id: string) => (await rig.find(id)).transactionHash;

  describe("dropped, and only its hash is known", () => {
    // The case waits for 120 s of lifetime and 30 s of absence; here the clock of the rows is set instead.
    it("is Submitted and not seen, is given up after its lifetime, and Committed when it is mined all the same", async () => {
      const asked = await ask();
      const { raw } = await rig.sign(asked.calldata);
      const hash = await rig.send(raw);
      expect((await api.post(`/transactions/${asked.id}/submit`, { transactionHash: hash })).status).to.equal(
        202,
      );
      await rig.reach(asked.id, "Submitted");
      expect(await hints(asked)).to.equal(undefined);
      await rig.anvil.rpc("anvil_dropTransaction", [hash]);
      const hint = await hinted(asked, "NOT_SEEN");
      expect(Date.parse(hint?.since ?? "")).to.be.closeTo(Date.now(), 20_000);
      expect(hint?.message).to.contain("send it again");

      await rig.pool.query("update service.requests set expires_at = now()");
      const looked = async () =>
        (await rig.pool.query("select failures from service.transactions")).rows[0]?.failures;
      const looks = await looked();
      await rewind("next_attempt_at", 10);
      await eventually("a look in the first 30 s", looked, (count) => count > looks);
      expect((await rig.stateOf(asked.id)).state).to.equal("Submitted");

      await rig.giveUp(asked.id);
      expect(await rig.stateOf(asked.id)).to.deep.equal({ state: "RevokedByTxServer", reason: "DROPPED" });
      expect(await hints(asked)).to.equal(undefined);
      expect(await rig.find(asked.id)).to.include({ settled: true });

      await rig.send(raw);
      await rig.mine();
      await rig.reach(asked.id, "Committed");
      // The chain has proved the giving up wrong: a reorg takes it back to where it was before.
      await rig.anvil.rpc("anvil_reorg", [1, []]);
      await rig.reach(asked.id, "Submitted");
      await rig.send(raw);
      await rig.mine();
      await rig.reach(asked.id, "Committed");
      expect(await states(asked.id)).to.deep.equal([
        "Received",
        "Submitted",
        "RevokedByTxServer",
        "Committed",
        "Submitted",
        "Committed",
      ]);
    });

    it("is not given up while its time is not over, nor while the node has it, nor what can be sent again", async () => {
      const [dropped, pending, held] = [await ask(), await ask(other), await ask(third)];
      const first = await rig.sign(dropped.calldata);
      const second = await rig.sign(pending.calldata, { account: other });
      const signed = await rig.sign(held.calldata, { account: third });
      for (const [{ id }, { raw }] of [
        [dropped, first],
        [pending, second],
      ] as const) {
        await rig.reportHash(id, await rig.send(raw));
        await rig.reach(id, "Submitted");
      }
      await rig.submit(held.id, signed);
      await rig.reach(held.id, "Submitted");
      await rig.pool.query("update service.requests set expires_at = now() where id <> $1", [dropped.id]);
      rig.liar.on("eth_sendRawTransaction", () => ({ error: { code: -32000, message: "txpool is full" } }));
      await rig.anvil.rpc("anvil_dropTransaction", [keccak256(first.raw)]);
      await rig.anvil.rpc("anvil_dropTransaction", [keccak256(signed.raw)]);
      await hinted(dropped, "NOT_SEEN");
      await hinted(held, "NOT_SEEN");
      await rewind("missing_since", 600);
      await rewind("next_attempt_at", 600);
      await lookedAt(3);
      for (const { id } of [dropped, pending, held]) {
        expect(await rig.stateOf(id)).to.deep.equal({ state: "Submitted" });
      }
      rig.liar.honest();
      await rewind("next_attempt_at", 600);
      await rig.send(first.raw);
      await eventually(
        "no hint any more",
        () => hints(held),
        (hint) => hint === undefined,
      );
    });

    it("is given up when the last that could be sent beside it is rejected for good", async () => {
      const asked = await ask();
      const { id, calldata } = asked;
      const hash = await rig.send((await rig.sign(calldata)).raw);
      await rig.reportHash(id, hash);
      await rig.reach(id, "Submitted");
      await rig.anvil.rpc("anvil_dropTransaction", [hash]);
      await hinted(asked, "NOT_SEEN");
      rig.liar.on("eth_sendRawTransaction", () => ({ error: { code: -32000, message: "txpool is full" } }));
      await rig.submit(id, await rig.sign(calldata, { gas: 400_000n }));
      await rig.pool.query("update service.requests set expires_at = now() where id = $1", [id]);
      await rig.giveUp(id);
      expect(await rig.stateOf(id)).to.deep.equal({ state: "RevokedByTxServer", reason: "DROPPED" });
    });
  });

  it("is sent again soon, however long a node had it, where the node does not take it back at once", async () => {
    const { id, calldata } = await ask();
    const hash = await rig.submit(id, await rig.sign(calldata));
    await rig.reach(id, "Submitted");
    // As after many failures long ago, before the node took it.
    await rig.pool.query("update service.transactions set failures = 20");
    await rewind("next_attempt_at", 600);
    await lookedAt(1);
    let sends = 0;
    rig.liar.on("eth_sendRawTransaction", () => {
      sends += 1;
      return sends > 1 ? undefined : { error: { code: -32000, message: "txpool is full" } };
    });
    await rig.anvil.rpc("anvil_dropTransaction", [hash]);
    await rewind("next_attempt_at", 600);
    await eventually(
      "the transaction in the pool again",
      () => rig.anvil.rpc("eth_getTransactionByHash", [hash]),
      (found) => found !== null,
    );
    expect(sends).to.equal(2);
  });

  it("is sent once and is one success, in whatever words a node says that it has it", async () => {
    const words = [
      "already known",
      "transaction already imported",
      "known transaction: 0x12",
      "AlreadyKnown",
      "nonce too low",
      "a wording that nobody has seen yet",
    ];
    for (const message of words) {
      const { id, calldata } = await ask();
      const signed = await rig.sign(calldata);
      let sends = 0;
      rig.liar.on("eth_sendRawTransaction", async ({ forward }) => {
        sends += 1;
        // The first answer is lost; the node has the transaction, and in one case mined it.
        if (sends > 1) return { error: { code: -32000, message } };
        await forward();
        if (message === "nonce too low") await rig.mine();
        return "drop";
      });
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          api.post(`/transactions/${id}/submit`, { signedTransaction: signed.raw }),
        ),
      );
      if (message !== "nonce too low") await rig.reach(id, "Submitted");
      await rig.mine();
      await rig.reach(id, "Committed");
      answers.push(await api.post(`/transactions/${id}/submit`, { signedTransaction: signed.raw }));
      expect(
        new Set(answers.map(({ status, value }) => `${status} ${value?.transactionHash}`)),
      ).to.deep.equal(new Set([`202 ${keccak256(signed.raw)}`]));
      const { rows } = await rig.pool.query("select hash from service.transactions where request_id = $1", [
        id,
      ]);
      expect(rows).to.have.lengthOf(1);
      expect((await states(id)).filter((state) => state.startsWith("Revoked"))).to.deep.equal([]);
    }
  });

  describe("with a fee below the base fee, past the checks of the API", () => {
    const lowFee = async (calldata: `0x${string}`) => {
      const nonce = await rig.chain.getTransactionCount({ address: owner.address, blockTag: "pending" });
      const raw = await owner.signTransaction({
        type: "eip1559",
        chainId: rig.registry.chainId,
        nonce,
        to: rig.registry.address,
        data: calldata,
        gas: 300_000n,
        maxFeePerGas: 1n,
        maxPriorityFeePerGas: 1n,
      });
      return { raw, nonce };
    };

    it("is not Revoked, says why it waits, and another signed transaction replaces it", async () => {
      const asked = await ask();
      const cheap = await lowFee(asked.calldata);
      await rig.submit(asked.id, cheap);
      await hinted(asked, "FEE_BELOW_BASE_FEE");
      expect((await rig.stateOf(asked.id)).state).to.equal("TxSignatureSubmitted");
      const hash = await rig.submit(asked.id, await rig.sign(asked.calldata, { nonce: cheap.nonce }));
      await rig.reach(asked.id, "Submitted");
      expect(await hints(asked)).to.equal(undefined);
      await rig.mine();
      await rig.reach(asked.id, "Committed");
      expect(await minedOf(asked.id)).to.equal(hash);
    });

    it("is given up as NOT_ACCEPTED when its time is over and the node rejects it for another reason", async () => {
      rig.liar.on("eth_sendRawTransaction", () => ({ error: { code: -32000, message: "txpool is full" } }));
      const asked = await ask();
      await rig.submit(asked.id, await rig.sign(asked.calldata));
      await rig.pool.query("update service.requests set expires_at = now()");
      await rig.giveUp(asked.id);
      expect((await rig.stateOf(asked.id)).reason).to.equal("NOT_ACCEPTED");
    });

    it("is given up as FEE_TOO_LOW when its time is over, and not before", async () => {
      const asked = await ask();
      await rig.submit(asked.id, await lowFee(asked.calldata));
      await hinted(asked, "FEE_BELOW_BASE_FEE");
      await rig.pool.query("update service.requests set expires_at = now()");
      await rig.giveUp(asked.id);
      expect((await rig.stateOf(asked.id)).reason).to.equal("FEE_TOO_LOW");
    });
  });

  it("stays Submitted and says so while the base fee is above its fee, and is Committed once that falls", async () => {
    const asked = await ask();
    await rig.submit(asked.id, await rig.sign(asked.calldata));
    await rig.reach(asked.id, "Submitted");
    const { baseFeePerGas } = await rig.chain.getBlock();
    const raised = `0x${((baseFeePerGas ?? 1n) * 100n).toString(16)}`;
    await rig.anvil.rpc("anvil_setNextBlockBaseFeePerGas", [raised]);
    // This node forgets what it cannot mine, and then takes no more of it.
    await rig.mine(5);
    await hinted(asked, "FEE_BELOW_BASE_FEE");
    expect(await rig.stateOf(asked.id)).to.deep.equal({ state: "Submitted" });
    await rig.anvil.rpc("anvil_setNextBlockBaseFeePerGas", ["0x3b9aca00"]);
    await rig.mine();
    await eventually(
      "the transaction in the pool again",
      () => hints(asked),
      (hint) => hint === undefined,
    );
    await rig.mine();
    await rig.reach(asked.id, "Committed");
    expect(await hints(asked)).to.equal(undefined);
    expect(await states(asked.id)).to.deep.equal([
      "Received",
      "TxSignatureSubmitted",
      "Submitted",
      "Committed",
    ]);
  });

  it("says so of what a node keeps though it cannot mine it, and of a wallet's own transaction", async () => {
    const asked = await ask();
    await rig.reportHash(asked.id, await rig.send((await rig.sign(asked.calldata)).raw));
    await rig.reach(asked.id, "Submitted");
    rig.liar.on("eth_getBlockByNumber", async ({ forward }) => {
      const block = (await forward()) as { baseFeePerGas: string } | null;
      return { result: block && { ...block, baseFeePerGas: `0x${(10n ** 12n).toString(16)}` } };
    });
    await hinted(asked, "FEE_BELOW_BASE_FEE");
    rig.liar.honest();
    await eventually(
      "no hint any more",
      () => hints(asked),
      (hint) => hint === undefined,
    );
    expect(await states(asked.id)).to.deep.equal(["Received", "Submitted"]);
  });

  describe("given several signed transactions of one request", () => {
    /** anvil takes any gas limit. */
    const rejectLittleGas = (...raws: string[]) =>
      rig.liar.on("eth_sendRawTransaction", ({ params }) =>
        raws.includes(String(params[0]))
          ? { error: { code: -32000, message: "intrinsic gas too low: have 1, want 2" } }
          : undefined,
      );

    it("is not given up for one that no node will take while another may be taken", async () => {
      await rig.stopIndexer();
      const { id, calldata } = await ask();
      const tooLittle = await rig.sign(calldata);
      await rig.submit(id, tooLittle);
      rejectLittleGas(tooLittle.raw);
      const hash = await rig.submit(id, await rig.sign(calldata, { nonce: tooLittle.nonce, tip: 2n }));
      await rig.startIndexer();
      await rig.reach(id, "Submitted");
      await rig.mine();
      await rig.reach(id, "Committed");
      expect(await minedOf(id)).to.equal(hash);
      expect(await states(id)).to.not.include("RevokedByTxServer");
    });

    it("is given up when no node will take any of them", async () => {
      await rig.stopIndexer();
      const { id, calldata } = await ask();
      const both = await Promise.all([1n, 2n].map((tip) => rig.sign(calldata, { tip })));
      for (const signed of both) await rig.submit(id, signed);
      rejectLittleGas(...both.map(({ raw }) => raw));
      await rig.startIndexer();
      await rig.giveUp(id);
      expect((await rig.stateOf(id)).reason).to.equal("GAS_TOO_LOW");
    });

    it("has one executed: the next nonce's is sent when the one before was used for something else", async () => {
      const [executed, cancelled] = [await ask(), await ask()];
      const sentOf = async (id: string) =>
        (
          await rig.pool.query<{ count: number }>(
            "select count(*) as count from service.transactions where request_id = $1 and accepted_at is not null",
            [id],
          )
        ).rows[0]?.count;
      const first = await rig.sign(executed.calldata);
      await rig.submit(executed.id, first);
      await rig.reach(executed.id, "Submitted");
      const second = await rig.sign(executed.calldata, { nonce: first.nonce + 1 });
      await rig.submit(executed.id, second);
      await eventually(
        "a look at the second",
        async () =>
          (
            await rig.pool.query("select last_problem from service.transactions where nonce = $1", [
              second.nonce,
            ])
          ).rows[0]?.last_problem,
        (problem) => problem === "not sent: behind another",
      );
      expect(await sentOf(executed.id)).to.equal(1);
      await rig.mine(6);
      await rig.reach(executed.id, "Confirmed");
      expect(await sentOf(executed.id)).to.equal(1);

      const lost = await rig.sign(cancelled.calldata);
      await rig.submit(cancelled.id, lost);
      await rig.reach(cancelled.id, "Submitted");
      const hash = await rig.submit(
        cancelled.id,
        await rig.sign(cancelled.calldata, { nonce: lost.nonce + 1 }),
      );
      await rig.send(
        (await rig.sign("0x", { nonce: lost.nonce, to: other.address, tip: 9_000_000_000n })).raw,
      );
      await rig.mine();
      await eventually(
        "both sent",
        () => sentOf(cancelled.id),
        (count) => count === 2,
      );
      await rig.mine();
      await rig.reach(cancelled.id, "Committed");
      expect(await minedOf(cancelled.id)).to.equal(hash);
    });
  });
});
