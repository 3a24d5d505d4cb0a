import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import type { Hex } from "viem";
import { type Anvil, startAnvil } from "../../support/chain/anvil.ts";
import { type Liar, startLiar } from "../../support/chain/liar.ts";
import { eventually } from "../../support/eventually.ts";
import { type LiarRig, startLiarRig } from "../../support/rigs/liar-rig.ts";

describe("given several RPC URLs", () => {
  let rig: LiarRig;
  let second: Liar;

  beforeEach(async () => {
    rig = await startLiarRig({
      nodeUrls: async (url) => {
        second = await startLiar(url);
        return [second.url];
      },
    });
    await rig.startIndexer();
    await rig.caughtUp();
  });
  afterEach(async () => {
    await rig.stop();
    await second.stop();
  });

  it("uses the first one while it answers, and only that", async () => {
    const { asset } = await rig.createInBlock();
    await rig.indexed(asset);
    expect(second.calls).to.deep.equal([]);
  });

  it("moves on when the one in use fails, stays there, and moves back when that one fails", async () => {
    await rig.liar.shut();
    const one = await rig.createInBlock();
    await rig.indexed(one.asset);
    expect(rig.counted("provider_switch_total")).to.equal(1);

    await rig.liar.open();
    const calls = rig.liar.calls.length;
    const two = await rig.createInBlock();
    await rig.indexed(two.asset);
    expect(rig.liar.calls.length, "calls to the one that failed before").to.equal(calls);

    second.on("*", () => ({ http: { status: 502, body: "" } }));
    const three = await rig.createInBlock();
    await rig.indexed(three.asset);
    expect(rig.counted("provider_switch_total")).to.equal(2);
    // Each of the indexer's three loops may be asking when a provider fails; none fails twice.
    expect(rig.counted("trouble_total"), "looks that failed").to.be.at.most(3);
  });

  it("moves on at once when the one in use asks for a rest, and leaves it alone as long as it asked", async () => {
    rig.liar.on("*", () => ({ http: { status: 429, headers: { "retry-after": "120" }, body: "" } }));
    const { asset } = await rig.createInBlock();
    await rig.indexed(asset);
    const calls = rig.liar.calls.length;
    await rig.mine(3);
    await rig.caughtUp();
    expect(rig.liar.calls.length).to.equal(calls);
  });

  it("takes logs that the one in use keeps back from the other", async () => {
    rig.liar.on("eth_getLogs", () => ({ result: [] }));
    const { asset } = await rig.createInBlock();
    await rig.indexed(asset);
    expect(rig.counted("provider_switch_total")).to.be.at.least(1);
  });

  it("asks a second one where an old range is said to be empty", async () => {
    await rig.stopIndexer();
    const { asset } = await rig.createInBlock();
    await rig.mine(140);
    rig.liar.on("eth_getLogs", () => ({ result: [] }));
    await rig.startIndexer();
    await rig.indexed(asset);
  });

  it("moves on from one that has pruned the logs and receipts of old blocks, whatever it says", async () => {
    await rig.stopIndexer();
    const { asset } = await rig.createInBlock();
    await rig.mine(140);
    const pruned = ["eth_getLogs", "eth_getBlockReceipts", "eth_getTransactionReceipt"];
    for (const method of pruned) rig.liar.on(method, () => ({ error: { code: 4444, message: "xyzzy" } }));
    await rig.startIndexer();
    await rig.indexed(asset, 30);
    expect(rig.counted("rpc_failure_total", "incapable")).to.be.at.least(1);
    expect(rig.counted("provider_switch_total")).to.be.at.least(1);
  });

  it("never uses one of another chain", async () => {
    second.on("eth_chainId", () => ({ result: "0x1" }));
    await rig.liar.shut();
    const { asset } = await rig.createInBlock();
    const reason = await eventually("the halt", rig.halted, (text) => text !== undefined);
    expect(reason).to.match(/serves chain 1, but chain 31337 is indexed/);
    expect(second.calls.filter(({ method }) => method !== "eth_chainId")).to.deep.equal([]);
    await rig.liar.open();
    await rig.indexed(asset);
    expect(await rig.halted()).to.equal(undefined);
  });
});

describe("a node that speaks for two chains in turn", () => {
  let rig: LiarRig;
  let fork: Anvil;

  beforeEach(async () => {
    rig = await startLiarRig({ pollInterval: 100, unusedChain: true });
  });
  afterEach(async () => {
    await rig.stop();
    await fork.stop();
  });

  it("shows three changes at most, confirms nothing meanwhile, and settles on the chain that stays", async () => {
    const { id } = await rig.requestCreation();
    const { raw } = await rig.sign((await rig.find(id)).calldata);
    await rig.mine(5);
    fork = await forkOf(rig);
    await rig.send(raw);
    await rig.mine(3);
    await fork.rpc("anvil_setNextBlockTimestamp", [Number((await rig.chain.getBlock()).timestamp) + 1000]);
    await fork.mine(3);
    await rig.startIndexer();
    await rig.reach(id, "Committed");

    let turn = 0;
    rig.liar.route(() => {
      turn += 1;
      return turn % 2 === 0 ? rig.anvil.url : fork.url;
    });
    const until = Date.now() + 20_000;
    await eventually(
      "twenty seconds of two chains",
      async () => Date.now(),
      (now) => now > until,
      30,
    );
    const during = (await rig.history(id)).map(({ state }) => state);
    expect(during).to.not.include("Confirmed");

    // A load balancer that picks at random is worse: now and then it agrees with itself.
    let seed = 7;
    rig.liar.route(() => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed / 2 ** 31 < 0.5 ? rig.anvil.url : fork.url;
    });
    await eventually(
      "twenty more",
      async () => Date.now(),
      (now) => now > until + 20_000,
      30,
    );
    rig.liar.route(() => rig.anvil.url);
    await rig.reach(id, "Committed");
    const states = (await rig.history(id)).map(({ state }) => state);
    expect(states).to.not.include("Confirmed");
    expect(states.length, states.join(" ")).to.be.at.most(1 + 3);
  });

  /** A second chain with the same blocks up to now. */
  async function forkOf({ anvil }: LiarRig): Promise<Anvil> {
    const twin = await startAnvil({ automine: false });
    const state = await anvil.rpc<Hex>("anvil_dumpState", [true]);
    await twin.rpc("anvil_loadState", [state]);
    const [head, same] = await Promise.all(
      [anvil, twin].map((chain) => chain.rpc<{ hash: Hex }>("eth_getBlockByNumber", ["latest", false])),
    );
    expect(same?.hash).to.equal(head?.hash);
    return twin;
  }
});

describe("a URL with a name and a password in it", () => {
  it("sends them as the node wants them, and shows them to nobody", async () => {
    const { connectNode } = await import("../../../rpc/node.ts");
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.statusCode = 401;
      response.end("who are you?");
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const node = connectNode([`http://name:secret-word@127.0.0.1:${port}/v3/secret-key`]);
    const error = await node.chainId().catch((problem: Error) => problem);
    node.close();
    server.close();
    expect(seen).to.deep.equal([`Basic ${Buffer.from("name:secret-word").toString("base64")}`]);
    expect(String((error as Error).message))
      .to.match(/HTTP 401/)
      .and.not.match(/secret/);
  });
});
