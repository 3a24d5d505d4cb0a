import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { toHex } from "viem";
import { keys } from "../../support/api.ts";
import { startBadWay } from "../../support/bad-way.ts";
import { owner } from "../../support/chain/accounts.ts";
import { startNodeProxy } from "../../support/chain/node-proxy.ts";
import { startOpenWay } from "../../support/open-way.ts";
import { runNode } from "../../support/program.ts";
import { type Service, startService } from "../../support/service.ts";

describe("npm run demo", () => {
  let service: Service;
  let folder: string;
  let file: string;
  let mining: NodeJS.Timeout;

  before(async () => {
    service = await startService();
    folder = mkdtempSync(join(tmpdir(), "demo-"));
    file = join(folder, "lease.pdf");
    writeFileSync(file, "a lease");
    mining = setInterval(() => void service.rig.mine().catch(() => undefined), 300);
  });
  after(async () => {
    clearInterval(mining);
    rmSync(folder, { recursive: true });
    await service.stop();
  });

  async function run(environment: Record<string, string> = {}, words: string[] = [file]) {
    const { PATH } = process.env;
    const settings = {
      PATH,
      DATA_DIR: folder,
      PUBLIC_URL: service.url,
      API_KEY: keys["tenant-a"],
      AUTHOR_KEY: toHex(owner.getHdKey().privateKey ?? new Uint8Array()),
      RPC_URL: service.rig.anvil.url,
      REGISTRY_ADDRESS: service.registry.address,
    };
    return await runNode(["scripts/demo.ts", ...words], { env: { ...settings, ...environment } }).ended;
  }

  it("walks a file through on a bad way, and believes the id and the chain, not the service", async () => {
    const way = await startBadWay(service.url, ["answer lost", "passes", "lost", "answer lost"]);
    try {
      const { code, stdout, stderr } = await run({ PUBLIC_URL: way.url });
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
      const { rows } = await service.pool.query<{ id: string }>(
        "select '0x' || encode(asset_id, 'hex') as id from service.requests where details->>'fileName' = 'lease.pdf'",
      );
      const [{ id } = { id: "" }] = rows;
      expect(rows).to.have.length(1);
      expect(stdout).to.contain(`give the id ${id} on chain ${service.registry.chainId}`);
      expect(stdout).to.contain(
        `the registry ${service.registry.address} itself says: ${id} is of ${owner.address}`,
      );
      expect(stdout.trimEnd().split("\n").at(-1)).to.match(/^\d+ {2}done/);
    } finally {
      await way.stop();
    }
  });

  it("follows by the stream of events, and polls nothing meanwhile", async () => {
    const way = await startOpenWay(service.url);
    try {
      const { code, stdout } = await run({ PUBLIC_URL: way.url });
      expect(code).to.equal(0);
      expect(stdout.match(/^ *\d+ {2}now .*, state Committed, /gm)).to.have.length(4);
      expect(stdout.match(/^ *\d+ {2}now .*, state Confirmed, /gm)).to.have.length(1);
      const asked = (part: string) => way.paths.filter((path) => path.startsWith(part)).length;
      // One stream follows each of the four requests, after what was told before it in two pages or three.
      expect(asked("/events/stream?")).to.equal(4);
      expect(asked("/events/?")).to.be.at.most(12);
    } finally {
      await way.stop();
    }
  });

  it("ends with 1 where the chain does not hold what the service shows", async () => {
    const nothing = `0x${"0".repeat(192)}`;
    const node = await startNodeProxy(service.rig.anvil.url, { eth_call: () => ({ result: nothing }) });
    try {
      const { code, stdout, stderr } = await run({ RPC_URL: node.url });
      expect(code).to.equal(1);
      expect(stdout).to.contain("recomputed").and.not.contain("on the chain");
      expect(stderr).to.match(/On the chain 0x[0-9a-f]{64} is of 0x0{40}, not of/);
    } finally {
      node.stop();
    }
  });

  it("says what is wrong, in words, where it cannot begin", async () => {
    const gone = await run({ PUBLIC_URL: "http://127.0.0.1:1" });
    expect(gone.code).to.equal(1);
    expect(gone.stderr).to.contain("Nothing answers there");
    const refused = await run({ API_KEY: "wrong" });
    expect(refused.stderr).to.contain("401 API_KEY_INVALID");
    const unread = await run({}, [join(folder, "none.pdf")]);
    expect(unread.stderr).to.contain("none.pdf cannot be read");
    for (const { stderr } of [gone, refused, unread]) expect(stderr.trim().split("\n")).to.have.length(1);
  });
});
