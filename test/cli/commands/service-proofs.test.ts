import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Proof } from "../../../proof/src/proof.ts";
import { runCli } from "../../support/cli.ts";
import { someAsset, type World, worldWith } from "../../support/proof/world.ts";
import { type StubAnswer, stubService } from "../../support/stub-service.ts";

const [author, stranger] = [
  "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
] as const;
const hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const texts = { method: "SHA-256", hash };
const env = { ASSET_REGISTRY_URL: "http://service.example" };
const missing = { status: 422, code: "TEXT_NOT_UTF8", message: "It cannot be told." };

describe("proofs from the service", () => {
  let folder: string;
  let file: string;
  let world: World;
  let proof: Proof;
  const byOther = `0x${"5".repeat(64)}`;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "asset-registry-cli-"));
    file = join(folder, "abc");
    writeFileSync(file, "abc");
    const asset = someAsset(author, texts);
    world = await worldWith(asset);
    proof = await world.prove(asset);
  });
  after(() => rmSync(folder, { recursive: true }));

  /** A service where these assets bear the hash, each with its answer for a proof. */
  function serving(assets: { id: string; author: string; answer: StubAnswer }[]) {
    const routes = assets.map(({ id, answer }) => [`GET /public/assets/${id}/proof`, () => answer] as const);
    const found = assets.map(({ id, author }, logIndex) => ({ id, author, blockNumber: 1, logIndex }));
    return stubService({ "GET /public/assets/": () => ({ value: found }), ...Object.fromEntries(routes) });
  }
  const own = () => ({ id: proof.asset.id, author, answer: { value: proof } });
  const verify = async (fetch: typeof globalThis.fetch, ...args: string[]) => {
    const { code, stdout, stderr } = await runCli(
      ["verify", "--json", "--block-hash", world.block.hash, ...args],
      { env, fetch },
    );
    return { code, stderr, ...JSON.parse(stdout) };
  };

  describe("asset-registry verify, with the file alone", () => {
    it("asks for the assets with the file's hash, and checks their proofs, without a credential", async () => {
      const { fetch, calls } = serving([own()]);
      const { code, results } = await verify(fetch, file);
      expect(code).to.equal(0);
      expect(results[0].asset).to.include({ author });
      expect(calls.map(({ path }) => path)).to.deep.equal([
        `/public/assets/?hash=${hash}&method=SHA2-256`,
        `/public/assets/${proof.asset.id}/proof`,
      ]);
      expect(calls.some(({ headers }) => headers.has("x-api-key"))).to.equal(false);
    });

    it("is valid by one proof, whatever else somebody registered of the same file", async () => {
      const { fetch } = serving([{ id: byOther, author: stranger, answer: missing }, own()]);
      const { code, verdict, results } = await verify(fetch, file);
      expect({ code, verdict }).to.deep.equal({ code: 0, verdict: "valid" });
      expect(results.map((one: { verdict: string }) => one.verdict)).to.deep.equal(["cannot check", "valid"]);
      expect(results[0].words).to.contain("TEXT_NOT_UTF8");
    });

    it("is invalid where the service hands out a bad proof", async () => {
      const forged = { ...proof, asset: { ...proof.asset, author: stranger } };
      const { fetch } = serving([own(), { id: byOther, author: stranger, answer: { value: forged } }]);
      expect(await verify(fetch, file)).to.include({ code: 1, verdict: "invalid" });
    });

    it("is invalid where the proof is a good one of another file", async () => {
      const asset = someAsset(author, { ...texts, hash: hash.replace("ba", "ab") });
      const other = await worldWith(asset);
      const { fetch } = serving([{ ...own(), answer: { value: await other.prove(asset) } }]);
      const { code, results } = await verify(fetch, file);
      expect(code).to.equal(1);
      expect(results[0].words).to.contain("The file is another");
    });

    it("cannot check where no proof can be had, or none is a proof", async () => {
      for (const answer of [missing, { value: { format: "other" } }, { value: "text" }, { value: null }]) {
        const { fetch } = serving([{ ...own(), answer }]);
        expect(await verify(fetch, file), JSON.stringify(answer)).to.include({
          code: 2,
          verdict: "cannot check",
        });
      }
    });

    it("finds nothing where nobody registered it, which says nothing against the file", async () => {
      const { fetch } = serving([]);
      const { code, error } = await verify(fetch, file);
      expect({ code, error: error.code }).to.deep.equal({ code: 2, error: "not-found" });
      expect(error.message).to.contain("says nothing against the file");
    });

    it("says that the same text in other bytes is registered", async () => {
      const changed = join(folder, "with-mark");
      writeFileSync(changed, "\ufeffabc");
      const found = { id: proof.asset.id, author, blockNumber: 1, logIndex: 0 };
      const fetch = (async (input: string | URL) => {
        const value = new URL(input).searchParams.get("hash") === hash ? [found] : [];
        return new Response(JSON.stringify({ value, meta: { size: 50 } }), {
          headers: { "content-type": "application/json" },
        });
      }) as typeof globalThis.fetch;
      const { code, error } = await verify(fetch, changed);
      expect({ code, problem: error.code }).to.deep.equal({ code: 2, problem: "not-found" });
      expect(error.message).to.contain("no byte order mark is registered as").and.to.contain(proof.asset.id);
    });

    it("takes those of the author alone who is named", async () => {
      const { fetch, calls } = serving([{ id: byOther, author: stranger, answer: missing }, own()]);
      const { code, results } = await verify(fetch, file, "--author", author);
      expect({ code, results: results.length }).to.deep.equal({ code: 0, results: 1 });
      expect(calls).to.have.length(2);
      const none = await verify(serving([own()]).fetch, file, "--author", stranger);
      expect(none.error.message).to.contain(`by ${stranger}, but 1 by others`);
    });

    it("asks for no more than twenty proofs, and says so", async () => {
      const many = Array.from({ length: 25 }, (_, at) => ({
        ...own(),
        id: `0x${String(at).padStart(64, "0")}`,
      }));
      const { fetch, calls } = serving(many);
      const { results, stderr } = await verify(fetch, file);
      expect(results).to.have.length(20);
      expect(calls).to.have.length(21);
      expect(stderr).to.contain("first 20 of 25");
    });

    it("asks for the named asset, and for its links", async () => {
      const { fetch, calls } = serving([own()]);
      const { code } = await verify(fetch, file, "--asset", proof.asset.id, "--link", byOther);
      expect(code).to.equal(2);
      expect(calls.map(({ path }) => path)).to.deep.equal([
        `/public/assets/${proof.asset.id}/proof?links=${byOther}`,
      ]);
    });

    it("is invalid where the service hands out a valid proof of another asset than asked for", async () => {
      const { fetch } = serving([{ ...own(), id: byOther }]);
      for (const args of [[file], ["--no-file", "--asset", byOther], [file, "--asset", byOther]]) {
        const { code, verdict, results } = await verify(fetch, ...args);
        expect({ code, verdict }, args.join(" ")).to.deep.equal({ code: 1, verdict: "invalid" });
        expect(results[0].words).to.equal(
          `The proof is of another asset. The proof is of the asset ${proof.asset.id}, and not of ${byOther}.`,
        );
        const id = results[0].checks.find(({ name }: { name: string }) => name === "id");
        expect(id).to.include({ outcome: "invalid", code: "another-asset" });
      }
    });

    it("is invalid where the proof at hand is of another asset than the one that is named", async () => {
      const path = join(folder, "own.json");
      writeFileSync(path, JSON.stringify(proof));
      const { fetch } = serving([]);
      expect(await verify(fetch, file, path, "--asset", proof.asset.id)).to.include({ code: 0 });
      expect(await verify(fetch, file, path, "--asset", byOther)).to.include({ code: 1, verdict: "invalid" });
    });

    it("cannot check where the service tells an asset without an id", async () => {
      for (const id of [5, "", "0x1"] as string[]) {
        const { code, error } = await verify(serving([{ ...own(), id }]).fetch, file);
        expect({ code, error: error.code }).to.deep.equal({ code: 2, error: "service-malformed" });
      }
    });

    it("never takes standard input for an empty file where the service hands out proofs of several methods", async () => {
      const sha3 = someAsset(author, { method: "SHA3-256", hash: "0".repeat(64) });
      const other = await (await worldWith(sha3)).prove(sha3);
      const { fetch } = serving([{ id: other.asset.id, author, answer: { value: other } }, own()]);
      const { stdout } = await runCli(["verify", "-", "--json"], { env, fetch, stdin: "abc" });
      const [first, second] = JSON.parse(stdout).results;
      const content = ({ checks }: { checks: { name: string; code: string }[] }) =>
        checks.find(({ name }) => name === "content")?.code;
      expect([content(first), content(second)]).to.deep.equal(["another-method", "file-matches"]);
    });

    it("asks for the hash in place of a file", async () => {
      const { fetch, calls } = serving([own()]);
      expect(await verify(fetch, "--hash", `sha256:${hash}`)).to.include({ code: 0 });
      expect(calls[0]?.path).to.contain(`hash=${hash}`);
    });
  });

  describe("asset-registry proof", () => {
    const get = (answer: StubAnswer, ...args: string[]) =>
      runCli(["proof", proof.asset.id, ...args], { env, fetch: serving([{ ...own(), answer }]).fetch });

    it("prints the proof, or writes it to a file", async () => {
      const { code, stdout } = await get({ value: proof });
      expect(code).to.equal(0);
      expect(JSON.parse(stdout)).to.deep.equal(proof);
      const output = join(folder, "proof.json");
      expect(await get({ value: proof }, "-o", output)).to.include({ code: 0, stdout: "" });
      expect(JSON.parse(readFileSync(output, "utf8"))).to.deep.equal(proof);
      expect(await runCli(["verify", file, output, "--block-hash", world.block.hash])).to.include({
        code: 0,
      });
    });

    it("writes no proof that is invalid for itself", async () => {
      const output = join(folder, "bad.json");
      const forged = { ...proof, asset: { ...proof.asset, name: "Loan" } };
      for (const value of [forged, null, { ...proof, version: 2 }]) {
        const { code, stderr } = await get({ value }, "-o", output);
        expect(code).to.equal(1);
        expect(stderr).to.contain("The service gave a bad proof.");
        expect(existsSync(output)).to.equal(false);
      }
    });

    it("writes no proof of another asset than the one that was asked for", async () => {
      const output = join(folder, "other.json");
      const { code, stderr } = await runCli(["proof", byOther, "-o", output], {
        ...{ env, fetch: serving([{ ...own(), id: byOther }]).fetch },
      });
      expect({ code, stderr }).to.deep.equal({
        code: 1,
        stderr: `The service gave the proof of another asset, ${proof.asset.id}.\n`,
      });
      expect(existsSync(output)).to.equal(false);
    });

    it("says where it cannot write, and leaves nothing behind", async () => {
      const { code, stderr } = await get({ value: proof }, "-o", join(folder, "none", "proof.json"));
      expect(code).to.equal(2);
      expect(stderr).to.contain("There is no folder for");
      await get({ value: proof }, "-o", folder);
      expect(readdirSync(tmpdir()).some((name) => name.endsWith(".part"))).to.equal(false);
    });

    it("says why the service has none", async () => {
      expect((await get(missing)).stderr).to.equal(
        "The service answered TEXT_NOT_UTF8: It cannot be told.\n",
      );
    });
  });
});
