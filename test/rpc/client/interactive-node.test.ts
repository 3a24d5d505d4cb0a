import { expect } from "chai";
import type { Address } from "viem";
import { interactive } from "../../../rpc/client/policy.ts";
import { isNodeUnavailable } from "../../../rpc/errors/unavailable.ts";
import { connectNode } from "../../../rpc/node.ts";
import { nowhere } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { type Liar, type Lie, startLiar } from "../../support/chain/liar.ts";

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

  it("are all asked again where each has failed", async () => {
    nodeAt(first).on("*", () => "drop");
    nodeAt(second).on("*", () => "drop");
    const nodes = connect();
    const outcome = await balanceFrom(nodes).catch((error: unknown) => error);
    expect(isNodeUnavailable(outcome)).to.equal(true);
    nodeAt(first).honest();
    expect(await balanceFrom(nodes)).to.equal(10_000n * 10n ** 18n);
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
