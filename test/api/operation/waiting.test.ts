import { expect } from "chai";
import { expectError, startApi } from "../../support/api.ts";
import { type StrictProvider, startStrictProvider } from "../../support/chain/strict-provider.ts";
import { eventually } from "../../support/eventually.ts";
import { startIndexerProcess } from "../../support/indexer-process.ts";
import { type StrictRig, startStrictRig } from "../../support/rigs/strict-rig.ts";

describe("what the service says of the nodes that it reads", () => {
  let rig: StrictRig;
  let api: Awaited<ReturnType<typeof startApi>>;

  beforeEach(async () => {
    rig = await startStrictRig();
    api = await startApi({
      database: rig.database,
      rpcUrl: rig.anvil.url,
      registry: rig.registry,
      indexed: false,
    });
  });
  afterEach(() => api.stop().finally(() => rig.stop()));

  const status = async () => (await api.get("/status")).value;
  const hostOf = (provider: StrictProvider) => new URL(provider.url).host;

  it("names in /status and /ready what the index waits for, since when, and who is to blame", async () => {
    await rig.startIndexer();
    await rig.caughtUp();
    expect((await status()).waitingFor).to.deep.equal([]);
    rig.provider.change("eth_getLogs", (result) => {
      const logs = result as object[];
      return [...logs, ...logs.map((log) => ({ ...log, data: "0x00" }))];
    });
    const begun = Date.now();
    await rig.createTogether(1);
    await rig.mine();
    const { number } = await rig.chain.getBlock();
    await rig.mine(12);
    const { waitingFor } = await eventually("a wait", status, (seen) => seen.waitingFor.length > 0, 20);
    const [wait] = waitingFor;
    expect(wait).to.include({ work: "following the chain", provider: hostOf(rig.provider) });
    expect(wait.problem).to.match(new RegExp(`two different logs at block ${number}, log index 0`));
    expect(Date.parse(wait.since)).to.be.within(begun - 1_000, Date.now() + 1_000);
    const answer = await eventually(
      "the reason in /ready",
      () => api.get("/ready"),
      ({ status: code, error }) =>
        code === 503 && /blocks behind the chain\. Since/.test(error?.message ?? ""),
      20,
    );
    expectError(answer, 503, "NOT_READY");
    expect(answer.error?.message)
      .to.match(/Since \d{4}-.* following the chain waits \(127\.0\.0\.1:\d+\): .*two different logs/)
      .and.not.match(/http:/);
    const metrics = await fetch(`${api.url}/metrics`).then((response) => response.text());
    expect(metrics).to.match(
      /asset_registry_waiting_seconds\{work="following the chain",reason="conflicting_logs"\} /,
    );

    rig.provider.change("eth_getLogs", (result) => result);
    await rig.holds(1, 20);
    await eventually("no wait", status, (seen) => seen.waitingFor.length === 0, 20);
  });

  it("tells which node is in use, which are up, and how far each is behind", async () => {
    const second = await startStrictProvider(rig.anvil.url);
    second.change("eth_blockNumber", (result) => `0x${(Number(result) - 3).toString(16)}`);
    await rig.mine(10);
    const child = startIndexerProcess({
      DATABASE_URL: rig.database.url,
      RPC_URL: `${rig.provider.url}/secret-key-of-mine,${second.url}`,
      REGISTRY_ADDRESS: rig.registry.address,
      START_BLOCK: String(rig.deployment.blockNumber),
    });
    try {
      const both = await eventually(
        "both providers with their heads",
        async () => (await status()).providers,
        (seen) => seen.length === 2 && seen.every((one: { headBlock: unknown }) => one.headBlock !== null),
        30,
      );
      const [one, two] = both;
      expect(one).to.include({ name: hostOf(rig.provider), inUse: true, up: true, problem: null, behind: 0 });
      expect(two).to.include({ name: hostOf(second), inUse: false, up: true, behind: 3 });
      const metrics = await fetch(`${api.url}/metrics`).then((response) => response.text());
      expect(metrics)
        .to.include(`asset_registry_provider_up{provider="${hostOf(rig.provider)}"} 1`)
        .and.include(`asset_registry_provider_behind_blocks{provider="${hostOf(second)}"} 3`)
        .and.not.match(/secret-key/);

      rig.provider.stop();
      await eventually(
        "the other one in use",
        async () => (await status()).providers,
        ([first, other]) => first?.up === false && first.problem !== null && other?.inUse === true,
        30,
      );
    } finally {
      await child.kill();
      second.stop();
    }
  });
});
