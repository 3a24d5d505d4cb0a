import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { openPool } from "../../../db/core/pool.ts";
import { owner } from "../../support/chain/accounts.ts";
import { startAnvil } from "../../support/chain/anvil.ts";
import { eventually } from "../../support/eventually.ts";
import { type Rig, startRig } from "../../support/rigs/rig.ts";

describe("an indexer that is stopped", () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await startRig();
  });
  afterEach(() => rig.stop());

  /** Sends creations, links and revocations straight to the chain, several in a block. */
  async function fillChain(rounds: number) {
    let next = await rig.chain.getTransactionCount({ address: owner.address });
    const send = async (calldata: `0x${string}`) => {
      await rig.send((await rig.sign(calldata, { nonce: next })).raw);
      next += 1;
    };
    for (let round = 0; round < rounds; round += 1) {
      const made = [await rig.requestCreation(), await rig.requestCreation()] as const;
      for (const { id } of made) await send((await rig.find(id)).calldata);
      const targets = [{ child: made[1].asset, nth: 1 }];
      const link = await rig.requestLinkChange(made[0].asset, { kind: "link", targets });
      await send((await rig.find(link)).calldata);
      await rig.mine();
      if (round % 3 === 0) {
        const revoke = await rig.requestLinkChange(made[0].asset, { kind: "revoke", targets });
        await send((await rig.find(revoke)).calldata);
      }
      await rig.mine();
    }
  }

  /** Every row that the chain decides, in a fixed order. */
  async function indexOf(databaseUrl = rig.database.url) {
    const pool = openPool(databaseUrl, { application: "test" });
    try {
      const assets = await pool.query("select * from chain.assets order by id");
      const links = await pool.query("select * from chain.links order by parent, child, nth");
      return JSON.stringify({ assets: assets.rows, links: links.rows });
    } finally {
      await pool.end();
    }
  }

  it("gives the same index after kill -9 in the middle, any number of times", async () => {
    await fillChain(60);
    const kills = 6;
    for (let kill = 0; kill < kills; kill += 1) {
      const child = startProcess();
      await eventually(
        "progress",
        async () =>
          (await rig.pool.query("select block_number from chain.cursor")).rows[0]?.block_number ?? -1,
        (block) => block >= rig.deployment.blockNumber + kill * 16,
      );
      await sleep(kill * 7);
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    const child = startProcess();
    await rig.caughtUp();
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect(code).to.equal(0);
    const interrupted = await indexOf();
    const { rows } = await rig.pool.query(
      "select (select count(*) from chain.assets) as assets, (select count(*) from chain.links) as links",
    );
    expect(rows[0]).to.deep.equal({ assets: 120, links: 60 });
    await rebuild();
    expect(await indexOf()).to.equal(interrupted);
  });

  it("finds what was made while it was down", async () => {
    await rig.startIndexer();
    await rig.caughtUp();
    await rig.stopIndexer();
    const { id } = await rig.requestCreation();
    await rig.send((await rig.sign((await rig.find(id)).calldata)).raw);
    await rig.mine(300);
    await rig.startIndexer();
    await rig.reach(id, "Confirmed");
  });

  it("reads the block that is the head at its start once", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id, asset } = await rig.requestCreation();
      await rig.send((await rig.sign((await rig.find(id)).calldata)).raw);
      const start = rig.startIndexer();
      await sleep(round * 3);
      await rig.mine();
      await start;
      await rig.reach(id, "Committed");
      const { rowCount } = await rig.pool.query("select from chain.assets where id = $1", [
        Buffer.from(asset.slice(2), "hex"),
      ]);
      expect(rowCount).to.equal(1);
      await rig.stopIndexer();
    }
  });

  it("gives the same index when it is built again from nothing, and states stay", async () => {
    await fillChain(5);
    await rig.mine(5);
    const { id } = await rig.requestCreation();
    const { raw, nonce } = await rig.sign((await rig.find(id)).calldata, { gas: 60_000n });
    await rig.startIndexer();
    await rig.submit(id, { raw, nonce });
    await rig.reach(id, "Submitted");
    await rig.mine(5);
    await rig.reach(id, "RevokedByBlockchain");
    await rig.caughtUp();
    await rig.stopIndexer();
    const before = await indexOf();
    const historyBefore = await rig.history(id);
    await rebuild();
    expect(await indexOf()).to.equal(before);
    expect(await rig.stateOf(id)).to.deep.equal({ state: "RevokedByBlockchain", reason: "OUT_OF_GAS" });
    expect(await rig.history(id)).to.deep.equal(historyBefore);
  });

  it("starts for a wrong setting only to say which one is wrong", async () => {
    const startBlock = { START_BLOCK: String(rig.deployment.blockNumber + 1) };
    await rig.mine(3);
    const late = await output(startProcess(startBlock));
    expect(late).to.match(/START_BLOCK is \d+, but the registry stood on the chain before/);
    const wrong = await output(
      startProcess({ REGISTRY_ADDRESS: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC" }),
    );
    expect(wrong).to.match(/holds no contract on chain 31337/);
    const ahead = await output(startProcess({ START_BLOCK: "1000000" }));
    expect(ahead).to.match(/START_BLOCK is 1000000, but chain 31337 has only \d+ blocks/);
    expect(await output(startProcess({ DATABASE_URL: "" }))).to.match(/DATABASE_URL is missing/);
  });

  it("starts for another chain, or another registry, than its database is of only to say so", async () => {
    await rig.startIndexer();
    await rig.caughtUp();
    await rig.stopIndexer();
    const before = await indexOf();
    const registry = await output(
      startProcess({ REGISTRY_ADDRESS: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC" }),
    );
    expect(registry).to.match(/REGISTRY_ADDRESS is 0x3C44\w+, but the database indexes 0x/);
    const anvil = await startAnvil({ chainId: 4242 });
    try {
      const chain = await output(startProcess({ RPC_URL: anvil.url }));
      expect(chain).to.match(/RPC_URL serves chain 4242, but the database indexes chain 31337/);
    } finally {
      await anvil.stop();
    }
    expect(await indexOf()).to.equal(before);
  });

  async function rebuild() {
    await rig.pool.query("truncate chain.cursor, chain.blocks cascade");
    await rig.startIndexer();
    await rig.caughtUp();
    await rig.stopIndexer();
  }

  function startProcess(environment: Record<string, string> = {}): ChildProcess {
    return spawn(process.execPath, ["indexer/main.ts"], {
      stdio: ["ignore", "ignore", "pipe"],
      env: {
        ...process.env,
        DATABASE_URL: rig.database.url,
        RPC_URL: rig.anvil.url,
        REGISTRY_ADDRESS: rig.registry.address,
        START_BLOCK: String(rig.deployment.blockNumber),
        POLL_INTERVAL: "50",
        LEASE_SECONDS: "1",
        LOG_LEVEL: "silent",
        ...environment,
      },
    });
  }

  /** What a process says on its error stream before it ends with exit code 1. */
  async function output(child: ChildProcess): Promise<string> {
    let text = "";
    child.stderr?.on("data", (chunk) => {
      text += chunk;
    });
    const [code] = await once(child, "close");
    expect(code).to.equal(78);
    expect(text).to.not.match(/^\s+at /m);
    return text;
  }
});
