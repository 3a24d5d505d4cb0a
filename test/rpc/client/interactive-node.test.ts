import { expect } from "chai";
import type { Address } from "viem";
import { interactive } from "../../../rpc/client/policy.ts";
import type { NodeError } from "../../../rpc/errors/node-error.ts";
import { isNodeUnavailable } from "../../../rpc/errors/unavailable.ts";
import { connectNode } from "../../../rpc/node.ts";
import { nowhere } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { type Liar, type Lie, startLiar } from "../../support/chain/liar.ts";
import { eventually } from "../../support/eventually.ts";

describe("several nodes, where somebody waits for the answers", () => {
  let anvil: Anvil;
  let elsewhere: Anvil;
  let [first, second]: Liar[] = [];

  before(async () => {
    anvil = await startAnvil();
    elsewhere = await startAnvil({ chainId: 5 });
  });
  after(async () => {
    await anvil.stop();
    await elsewhere.stop();
  });
  beforeEach(async () => {
    [first, second] = [await startLiar(anvil.url), await startLiar(anvil.url)];
  });
  afterEach(async () => {
    await first?.stop();
    await second?.stop();
  });

  const nodeAt = (liar: Liar | undefined): Liar => {
    if (liar === undefined) throw new Error("There is no such node");
    return liar;
  };
  const connect = () => connectNode([nodeAt(first).url, nodeAt(second).url], { policy: interactive });
  const balanceFrom = (nodes: ReturnType<typeof connect>) =>
    nodes.balance(owner.address.toLowerCase() as Address);
  const asked = (liar: Liar | undefined) => nodeAt(liar).callsOf("eth_getBalance").length;

  it("are asked in their order, one at a time", async () => {
    await balanceFrom(connect());
    expect([asked(first), asked(second)]).to.deep.equal([1, 0]);
  });

  for (const [what, lie] of [
    ["ends the connection", () => "drop"],
    ["is out of order", () => ({ http: { status: 500, body: "no" } })],
    ["says an error of its own", () => ({ error: { code: -32603, message: "Internal error" } })],
    ["answers something else", () => ({ http: { body: "<html>" } })],
  ] as [string, () => Lie][]) {
    it(`step in for one that ${what}, and it is asked last for a while`, async () => {
      nodeAt(first).on("eth_getBalance", lie);
      const nodes = connect();
      expect(await balanceFrom(nodes)).to.equal(10_000n * 10n ** 18n);
      const before = asked(first);
      await balanceFrom(nodes);
      expect(asked(first)).to.equal(before);
      expect(asked(second)).to.equal(2);
    });
  }

  for (const [method, ask] of [
    ["eth_maxPriorityFeePerGas", (nodes) => nodes.fees()],
    ["web3_clientVersion", (nodes) => nodes.clientVersion()],
  ] as [string, (nodes: ReturnType<typeof connect>) => Promise<unknown>][]) {
    for (const [how, lie] of [
      ["not there", { error: { code: -32601, message: "the method does not exist" } }],
      ["rejected in other words", { error: { code: -32000, message: "no" } }],
      ["answered by nothing", { result: null }],
    ] as [string, Lie][]) {
      it(`stay in use where ${method}, which no call depends on, is ${how}`, async () => {
        nodeAt(first).on(method, () => lie);
        const nodes = connect();
        await ask(nodes);
        await ask(nodes);
        await balanceFrom(nodes);
        expect([asked(first), asked(second)]).to.deep.equal([1, 0]);
        expect(nodes.health()[0]).to.include({ inUse: true, up: true, failed: 0 });
        expect(nodeAt(second).callsOf(method)).to.deep.equal([]);
      });
    }

    it(`are asked for ${method} in turn where one does not answer`, async () => {
      nodeAt(first).on(method, () => "drop");
      await ask(connect());
      expect(nodeAt(second).callsOf(method)).to.have.length(1);
    });
  }

  it("propose fees by the base fee and the gas price where they have no other opinion", async () => {
    const { baseFee, maxFeePerGas, maxPriorityFeePerGas, gasPrice } = await connect().fees();
    nodeAt(first).on("eth_maxPriorityFeePerGas", () => ({
      error: { code: -32601, message: "no such method" },
    }));
    const without = await connect().fees();
    if (baseFee === null || maxPriorityFeePerGas === null) throw new Error("anvil has both");
    expect(maxFeePerGas).to.equal(2n * baseFee + maxPriorityFeePerGas);
    expect(without.maxPriorityFeePerGas).to.equal(gasPrice - baseFee);
  });

  it("are all asked again where each has failed", async () => {
    nodeAt(first).on("*", () => "drop");
    nodeAt(second).on("*", () => "drop");
    const nodes = connect();
    const outcome = await balanceFrom(nodes).catch((error: unknown) => error);
    expect(isNodeUnavailable(outcome)).to.equal(true);
    nodeAt(first).honest();
    expect(await balanceFrom(nodes)).to.equal(10_000n * 10n ** 18n);
  });

  describe("that ask for a pause, or answer late", () => {
    const asksForPause = (seconds: number): Lie => ({
      http: { status: 429, headers: { "retry-after": String(seconds) }, body: "" },
    });
    const reasonOf = (call: Promise<unknown>) => call.catch(({ reason }: NodeError) => reason);

    it("are left at once where the pause ends after the time that the caller waits", async () => {
      nodeAt(first).on("*", () => asksForPause(1));
      const nodes = connectNode([nodeAt(first).url], { policy: { ...interactive, deadlineMs: 900 } });
      expect(await reasonOf(nodes.chainId())).to.equal("rate_limited");
      expect(nodeAt(first).calls).to.have.length(1);
    });

    it("are asked again after a shorter one", async () => {
      nodeAt(first).on("*", ({ nth }) => (nth === 1 ? asksForPause(1) : undefined));
      const nodes = connectNode([nodeAt(first).url], { policy: interactive });
      expect(await nodes.chainId()).to.equal(31_337);
    });

    it("are asked no more when the program ends", async () => {
      nodeAt(first).on("*", () => asksForPause(100_000));
      const policy = { ...interactive, deadlineMs: 1_000_000_000 };
      const nodes = connectNode([nodeAt(first).url], { policy });
      const reason = reasonOf(nodes.chainId());
      const failed = async () => nodes.health()[0]?.failed;
      await eventually("the request to pause", failed, (count) => count === 1);
      nodes.close();
      expect(await reason).to.equal("rate_limited");
    });

    it("are not asked in turn when the caller waits no more", async () => {
      nodeAt(first).on("*", () => "hold");
      const nodes = connectNode([nodeAt(first).url, nodeAt(second).url], {
        policy: { ...interactive, timeoutMs: 200, deadlineMs: 100 },
      });
      expect(await reasonOf(nodes.chainId())).to.equal("timeout");
      const failed = async () => nodes.health()[0]?.failed;
      await eventually("the end of the call", failed, (count) => count === 1);
      expect(nodeAt(second).calls).to.deep.equal([]);
    });
  });

  it("do not step in where they are of another chain than the first", async () => {
    const nodes = connectNode([nodeAt(first).url, elsewhere.url], { policy: interactive });
    expect(await nodes.chainId()).to.equal(31_337);
    nodeAt(first).on("*", () => "drop");
    const outcome = await balanceFrom(nodes).catch((error: unknown) => error);
    expect(isNodeUnavailable(outcome)).to.equal(true);
  });

  it("say no URL when they fail: it may hold a key", async () => {
    const nodes = connectNode([`${nowhere}/secret`], { policy: interactive });
    const outcome = (await nodes.chainId().catch((error: unknown) => error)) as Error;
    expect(isNodeUnavailable(outcome)).to.equal(true);
    expect(outcome.message).not.to.contain("secret");
  });
});
