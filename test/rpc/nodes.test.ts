import { expect } from "chai";
import { connectNodes, NodeUnavailableError } from "../../rpc/api/nodes.ts";
import { owner } from "../support/accounts.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { nowhere } from "../support/api.ts";
import { type Liar, type Lie, startLiar } from "../support/liar.ts";

describe("the nodes that the API asks", () => {
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
  const connect = () => connectNodes([nodeAt(first).url, nodeAt(second).url]);
  const balanceFrom = ({ ask }: ReturnType<typeof connect>) =>
    ask((client) => client.getBalance({ address: owner.address }));
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
    expect(outcome).to.be.instanceOf(NodeUnavailableError);
    nodeAt(first).honest();
    expect(await balanceFrom(nodes)).to.equal(10_000n * 10n ** 18n);
  });

  it("do not step in where they are of another chain than the first", async () => {
    const nodes = connectNodes([nodeAt(first).url, elsewhere.url]);
    expect(await nodes.chainId()).to.equal(31_337);
    nodeAt(first).on("*", () => "drop");
    const outcome = await balanceFrom(nodes).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(NodeUnavailableError);
  });

  it("say no URL when they fail: it may hold a key", async () => {
    const nodes = connectNodes([`${nowhere}/secret`]);
    const outcome = (await nodes.chainId().catch((error: unknown) => error)) as Error;
    expect(outcome).to.be.instanceOf(NodeUnavailableError);
    expect(outcome.message).not.to.contain("secret");
  });
});
