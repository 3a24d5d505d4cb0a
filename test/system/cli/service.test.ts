import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { encryptKeystoreJson } from "ethers";
import { keys, nowhere } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { type InstalledCli, installCli, type RunOptions } from "../../support/packed-cli.ts";
import { type Service, startService } from "../../support/service.ts";

/** Blocks that make an earlier one final, in this service and on the chain itself. */
const finality = 70;

describe("the packed command line, against a service", () => {
  let cli: InstalledCli;
  let service: Service;
  let env: Record<string, string>;
  const file = (name: string, content: string) => {
    writeFileSync(join(cli.project, name), content);
    return name;
  };
  const run = (args: string[], options: RunOptions = {}) => cli.run(args, { env, ...options });
  /** Runs it with JSON, and expects an exit code. */
  const json = async (code: number, args: string[], options: RunOptions = {}) => {
    const ended = await run([...args, "--json"], options);
    expect(ended.code, `${args.join(" ")}\n${ended.stdout}${ended.stderr}`).to.equal(code);
    return JSON.parse(ended.stdout);
  };

  before(async () => {
    cli = await installCli();
    service = await startService();
    const { privateKey } = owner.getHdKey();
    const account = {
      address: owner.address,
      privateKey: `0x${Buffer.from(privateKey ?? []).toString("hex")}`,
    };
    file("author.json", await encryptKeystoreJson(account, "päss wort", { scrypt: { N: 1024, r: 8, p: 1 } }));
    file("passphrase", "päss wort\n");
    env = {
      ASSET_REGISTRY_URL: service.url,
      ASSET_REGISTRY_API_KEY: keys["tenant-a"],
      ASSET_REGISTRY_ADDRESS: service.rig.registry.address,
      ASSET_REGISTRY_CHAIN: String(service.rig.registry.chainId),
      ASSET_REGISTRY_KEYSTORE: "author.json",
      ASSET_REGISTRY_PASSPHRASE_FILE: "passphrase",
    };
  });
  after(async () => {
    await service?.stop();
    await cli?.remove();
  });

  /** Runs a command that waits for the chain, which mines when the service has the transaction. */
  async function mined(args: string[]) {
    const running = cli.start([...args, "--yes", "--json"], { env });
    const [, transactionId = ""] = await running.until(
      /Signed the request (\S+)\. Waiting until it is Committed/,
    );
    await service.rig.reach(transactionId, "Submitted");
    await service.rig.mine();
    const { code, stdout, stderr } = await running.ended;
    expect(code, stdout + stderr).to.equal(0);
    return JSON.parse(stdout);
  }

  const register = async (name: string) => (await mined(["register", name])).id as string;
  const rpc = () => ["--rpc", service.rig.anvil.url];

  it("registers a file, follows it, proves and verifies it, links it, and shows since when a link is revoked", async () => {
    const lease = file("lease.txt", "line one\nline two\n");
    const id = await register(lease);
    const amendment = await register(file("amendment.txt", "an amendment"));

    const watching = cli.start(["status", id, "--watch"], { env });
    await watching.until(/Committed, block/);
    expect((await run(["find", lease])).stdout)
      .to.contain(id)
      .and.to.contain("which is not final yet");
    const early = await json(2, ["verify", lease, ...rpc()]);
    expect(early.results[0].words).to.contain("ASSET_NOT_FINAL");
    await service.rig.mine(finality);
    const watched = await watching.ended;
    expect(watched.code).to.equal(0);
    expect(watched.stdout.trimEnd().split("\n").at(-1)).to.match(/^Confirmed, block \d+/);

    // Anybody checks it: without an account, with the file alone, and offline with the proof and a block hash.
    const anybody = { env: { ASSET_REGISTRY_ADDRESS: service.rig.registry.address } };
    const online = await json(0, ["verify", lease, "--service", service.url, ...rpc()], anybody);
    expect(online.results[0].asset).to.include({ id, author: owner.address });
    expect(online.results[0].texts).to.include({ name: lease, fileSize: "18", method: "SHA2-256" });
    expect((await run(["proof", id, "--output", "proof.json"])).code).to.equal(0);
    const proof = JSON.parse(readFileSync(join(cli.project, "proof.json"), "utf8"));
    const offline = ["verify", lease, "proof.json", "--block-hash", proof.block.hash];
    expect((await json(0, offline, anybody)).results[0].block.source).to.equal("given by --block-hash");

    // Whatever was changed is found, and what cannot be checked is not called a forgery.
    const flipped = file("flipped.txt", "line one\nline twn\n");
    expect(
      (await json(1, ["verify", flipped, "proof.json", "--block-hash", proof.block.hash])).verdict,
    ).to.equal("invalid");
    expect((await json(2, ["verify", flipped, ...rpc()])).error.code).to.equal("not-found");
    expect((await json(2, ["verify", lease, "proof.json"])).verdict).to.equal("cannot check");
    expect((await json(2, ["verify", lease, "proof.json", "--rpc", nowhere])).verdict).to.equal(
      "cannot check",
    );
    const otherHash = `0x${"1".repeat(64)}`;
    expect((await json(1, ["verify", lease, "proof.json", "--block-hash", otherHash])).verdict).to.equal(
      "invalid",
    );
    const down = await json(2, ["verify", lease, "--service", nowhere, ...rpc()]);
    expect(down.error.code).to.equal("service-unreachable");

    // A link that never was, one that stands, and the same one revoked.
    const links = async () => {
      await service.rig.mine(finality);
      await service.rig.reach((await json(0, ["status", id])).transactionId, "Confirmed");
      const { results } = await json(0, ["verify", lease, "--link", amendment, ...rpc()]);
      return results[0].links[0];
    };
    expect(await links()).to.deep.equal({ child: amendment, state: "never added" });
    await mined(["link", id, amendment]);
    const standing = await links();
    expect(standing).to.include({ state: "standing" });
    await mined(["revoke", id, amendment]);
    const revoked = await links();
    expect(revoked).to.include({ state: "revoked", addedOn: standing.addedOn });
    expect(revoked.revokedOn).to.be.above(revoked.addedOn);

    // The proof of before still holds, as of its own block.
    expect((await json(0, offline, anybody)).results[0].block.number).to.equal(proof.block.number);
  }).timeout(300_000);

  it("asks before it signs, and signs nothing where nobody can answer", async () => {
    const { code, stderr } = await run(["register", file("unasked.txt", "unasked")]);
    expect({ code, stderr }).to.deep.equal({
      code: 3,
      stderr: "Nobody is at the terminal to confirm what is signed: --yes signs without asking.\n",
    });
  });

  it("leaves the signature to a wallet where it is told to, and says how far the request is", async () => {
    const args = ["register", file("unsigned.txt", "unsigned"), "--unsigned", "--author", owner.address];
    const { transactionId, id } = await json(0, args);
    expect(await json(0, ["status", transactionId])).to.include({ assetId: id, state: "Received" });
    const { code, stdout } = await run(["status", transactionId]);
    expect({ code, stdout }).to.deep.equal({ code: 0, stdout: "Received\n" });
  });

  it("lists, connects and removes the wallets of a user", async () => {
    const user = { env: { ...env, ASSET_REGISTRY_TOKEN: await service.token("alice") } };
    expect(await json(0, ["wallets"], user)).to.deep.equal([]);
    const connecting = ["wallets", "connect", "--name", "Office", "--yes"];
    // The service says another URL than that by which it is called here.
    expect((await json(2, connecting, user)).error.code).to.equal("another-service");
    const wallet = await json(0, [...connecting, "--connect-to", "https://registry.example"], user);
    expect(wallet).to.include({ ethereumAddress: owner.address, name: "Office" });
    const { stdout } = await run(["wallets", "list"], user);
    expect(stdout).to.equal(`${wallet.id}  ${owner.address}  Office\n`);
    expect(await json(0, ["wallets", "remove", wallet.id], user)).to.deep.equal({
      id: wallet.id,
      removed: true,
    });
    expect(await json(0, ["wallets"], user)).to.deep.equal([]);
    expect((await json(3, ["wallets"])).error.code).to.equal("token-missing");
  });

  it("says what the service refuses", async () => {
    const unknown = `0x${"4".repeat(64)}`;
    expect((await json(2, ["status", unknown])).error.code).to.equal("not-found");
    expect((await json(2, ["verify", "--no-file", "--asset", unknown])).results[0].words).to.contain(
      "ASSET_NOT_FOUND",
    );
    const wrongKey = { env: { ...env, ASSET_REGISTRY_API_KEY: "wrong-key-0123456789abcdef0123" } };
    expect((await json(2, ["status", unknown], wrongKey)).error.code).to.equal("service-denied");
  });
});
