import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { encryptKeystoreJson } from "ethers";
import { keys } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { type InstalledCli, installCli } from "../../support/packed-cli.ts";
import { type Service, startService } from "../../support/service.ts";

describe("the examples of the command line's README", () => {
  let cli: InstalledCli;
  let service: Service;
  before(async () => {
    [cli, service] = await Promise.all([
      installCli(),
      startService({ environment: { RATE_LIMIT_PUBLIC: "1000" } }),
    ]);
    const privateKey = `0x${Buffer.from(owner.getHdKey().privateKey ?? []).toString("hex")}`;
    const account = { address: owner.address, privateKey };
    const put = (name: string, text: string) => writeFileSync(join(cli.project, name), text);
    put("author.json", await encryptKeystoreJson(account, "secret", { scrypt: { N: 1024, r: 8, p: 1 } }));
    put("passphrase", "secret");
    put("lease.txt", "line one\nline two\n");
    put("amendment.txt", "an amendment");
  });
  after(async () => {
    await service?.stop();
    await cli?.remove();
  });

  it("do what they say: first those of authors, then those of whoever checks a file", async () => {
    const readme = readFileSync(join(cli.project, "node_modules", "asset-registry-cli", "README.md"), "utf8");
    const [checking = "", registering = "", following = ""] = Array.from(
      readme.matchAll(/```sh\n([\s\S]*?)```/g),
      ([, block]) => block,
    );
    const script = `set -e\n${registering}\n${following}\necho "--- registered"\n${checking}`;
    const running = cli.startShell(script, {
      ASSET_REGISTRY_URL: service.url,
      ASSET_REGISTRY_API_KEY: keys["tenant-a"],
      ASSET_REGISTRY_RPC: service.rig.anvil.url,
      ASSET_REGISTRY_ADDRESS: service.rig.registry.address,
      ASSET_REGISTRY_CHAIN: String(service.rig.registry.chainId),
      ASSET_REGISTRY_KEYSTORE: "author.json",
      ASSET_REGISTRY_PASSPHRASE_FILE: "passphrase",
    });
    let isRunning = true;
    const ended = running.ended.finally(() => {
      isRunning = false;
    });
    // A chain goes on by itself.
    while (isRunning) {
      await service.rig.mine();
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 100))]);
    }
    const { code, stdout, stderr } = await ended;
    expect(code, stdout + stderr).to.equal(0);
    const [registered = "", checked = ""] = stdout.split("--- registered\n");
    expect(registered).to.match(/^1 {2}\S+ {2}request\.Received {2}0x\w+$/m);
    expect(registered).to.match(/^\d+ {2}\S+ {2}link\.added {2}0x\w+, to 0x\w+, block \d+$/m);
    expect(registered).to.match(/^\{"id":.*"sequence":3,/m);
    expect(checked.match(/^VALID {2}/gm)).to.have.length(3);
    expect(checked).to.match(/links {5}valid {9}The link to 0x\w+ stands since/);
    expect(checked).to.match(/^[0-9a-f]{64} {2}lease\.txt$/m);
    expect(checked).to.contain("lease.txt has this SHA2-256 hash.");
    const proof = JSON.parse(readFileSync(join(cli.project, "proof.json"), "utf8"));
    expect(proof.asset.name).to.equal("Lease agreement");
  }).timeout(300_000);
});
