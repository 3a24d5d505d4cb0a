import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { owner } from "../../support/chain/accounts.ts";
import { type InstalledCli, installCli } from "../../support/packed-cli.ts";
import { root } from "../../support/program.ts";
import { type Service, startService } from "../../support/service.ts";

const execute = promisify(execFile);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** Foundry's `cast` as npm has it; no package of ours needs it. */
async function findCast(): Promise<string> {
  const flags = ["--yes", "--ignore-scripts=false", "--loglevel=error", "--package=@foundry-rs/cast@1.7.1"];
  const { stdout } = await execute(npm, ["exec", ...flags, "--call", "command -v cast"], {
    encoding: "utf8",
  });
  return stdout.trim();
}

describe("docs/verify.md", () => {
  let cli: InstalledCli;
  let service: Service;
  let environment: Record<string, string>;
  /** Lines that the blocks of the page print, each in a shell of its own behind those before it. */
  const printed: string[] = [];
  const [, ...sections] = readFileSync(join(root, "docs", "verify.md"), "utf8").split(/^## /m);
  const blocksOf = (heading: string) => {
    const section = sections.find((text) => text.startsWith(`${heading}\n`)) ?? "";
    return Array.from(section.matchAll(/```sh\n([\s\S]*?)```/g), ([, block = ""]) => block);
  };

  before(async () => {
    [cli, service] = await Promise.all([installCli(), startService()]);
    writeFileSync(join(cli.project, "lease.txt"), "line one\nline two\n");
    const lease = await service.createAsset({
      ...{ name: "Lease agreement", fileName: "Müller.txt", method: "SHA2-256" },
      hash: "e9024f1a07d29d52ad3aa5e1a18e94db1f3a9fd32b89e39d47c472cd99071e13",
    });
    const amendment = await service.createAsset({ name: "An amendment" });
    const { value } = await service.post(`/assets/${lease.id}/links`, { targetAssetIds: [amendment.id] });
    await service.carryOut(value.transactionId);
    await service.rig.mine(20);
    await service.rig.reach(value.transactionId, "Confirmed");
    const proof = await service.get(`/public/assets/${lease.id}/proof`);
    environment = {
      ...{
        SERVICE: service.url,
        NODE: service.rig.anvil.url,
        OTHER_NODE: service.rig.anvil.url.replace("127.0.0.1", "localhost"),
      },
      ...{ AUTHOR: owner.address, AMENDMENT: amendment.id, BLOCK_HASH: proof.value.block.hash },
    };
  });
  after(async () => {
    await service?.stop();
    await cli?.remove();
  });

  it("shows the way with the command line", async () => {
    const [block = ""] = blocksOf("With the command line");
    const { code, stdout, stderr } = await cli.startShell(`set -e\n${block}`, environment).ended;
    expect(code, stdout + stderr).to.equal(0);
    expect(stdout.match(/^VALID {2}/gm)).to.have.length(3);
    expect(stdout).to.contain("from 2 nodes that agree").and.to.contain("given by --block-hash");
  });

  it("shows the way by hand, and each step what it says", async () => {
    const [functions = "", ...steps] = blocksOf("By hand");
    expect(steps).to.have.length(7);
    const path = `${dirname(await findCast())}:${process.env["PATH"]}`;
    for (const step of steps) {
      const script = `set -e\nPATH=$CAST:$PATH\n${functions}\n${step}`;
      const ended = await cli.startShell(script, { ...environment, CAST: path }).ended;
      expect(ended.code, step + ended.stdout + ended.stderr).to.equal(0);
      printed.push(ended.stdout.trim());
    }
    const [content, id, registry, block, answer, record, link] = printed.map((text) => text.split("\n"));
    expect(content?.[0]).to.equal(`${content?.[1]}  -`);
    expect(id?.[0]).to.equal(id?.[1]);
    expect(registry?.[0]).to.match(new RegExp(`${registry?.[1]}$`));
    const [header, hash, own, final, number] = block ?? [];
    expect([header, own]).to.deep.equal([hash, hash]);
    expect(Number(final)).to.be.at.least(Number(number));
    expect(JSON.parse(answer?.join("") ?? "").result.hash).to.equal(hash);
    expect(record?.[0]).to.equal(owner.address);
    expect(record?.[2]).to.equal("0");
    expect(new Date(record?.[3] ?? "").getTime() / 1000).to.equal(Number.parseInt(record?.[1] ?? "", 10));
    expect(Number.parseInt(link?.[0] ?? "", 10)).to.be.at.least(Number.parseInt(record?.[1] ?? "", 10));
    expect(link?.[1]).to.equal("0");
  });
});
