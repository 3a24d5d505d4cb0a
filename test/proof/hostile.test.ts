import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { RLP } from "@ethereumjs/rlp";
import { expect } from "chai";
import { type Hex, keccak256, padHex } from "viem";
import { type Given, type Proof, type Result, verifyDocument } from "../../proof/src/proof.ts";
import { bytes, hex } from "../support/proof/trie.ts";
import { linkWord, someAsset, type World, worldWith } from "../support/proof/world.ts";

const author = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const asset = someAsset(author);
const second = someAsset(author, { name: "Annex" });
const child = padHex("0x22", { size: 32 });
const time = 1_789_000_000;

describe("a hostile proof", () => {
  let world: World;
  let proof: Proof;
  let given: Given;
  let worst: Record<string, string>;
  before(async () => {
    world = await worldWith(asset, { links: { [child]: linkWord(time) } });
    proof = await world.prove(asset, [child]);
    given = { block: { hash: world.block.hash, number: world.block.number, source: "the test" } };
    worst = worstCases(proof);
  });

  const verdictOf = (document: unknown, its: Given = given) => {
    const result = verifyDocument(typeof document === "string" ? document : JSON.stringify(document), its);
    const told = result.checks
      .filter(({ outcome }) => outcome === "invalid")
      .map(({ name, code }) => `${name} ${code}`);
    return { result, told: `${result.verdict}: ${told.join(", ")}` };
  };
  const expectInvalid = (document: unknown, told: string) =>
    expect(verdictOf(document).told).to.equal(`invalid: ${told}`);

  it("is none as it is", () => {
    expect(verdictOf(proof).told).to.equal("valid: ");
  });

  it("that is truncated at any character cannot be read, and never holds", () => {
    const text = JSON.stringify(proof);
    for (let length = 0; length < text.length; length += 1) {
      const { verdict, words } = verifyDocument(text.slice(0, length), given);
      expect(`${verdict}: ${words}`).to.match(
        /^cannot check: The document cannot be read as a proof\. .*cut off/,
      );
    }
  }).timeout(60_000);

  it("in which any bit is changed is found, but for the words and the event that nothing reads", async () => {
    const small = await worldWith(asset, { links: { [child]: linkWord(time) }, others: 2 });
    const { event, explanation, ...read } = await small.prove(asset, [child]);
    // In front, so that the rest is one piece.
    const rest = JSON.stringify({ explanation: "", event, ...read });
    const start = rest.indexOf('"format"');
    // A changed child may truly have no link, so the verifier says which one it asks for.
    const trusting = { block: { hash: small.block.hash, source: "the test" }, children: [child] };
    const document = Buffer.from(rest);
    expect(verifyDocument(document, trusting).verdict).to.equal("valid");
    expect(explanation).not.to.equal("");
    for (let at = start; at < document.length; at += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        document[at] = (document[at] ?? 0) ^ (1 << bit);
        const { verdict } = verifyDocument(document, trusting);
        if (verdict === "valid") expect.fail(`bit ${bit} of byte ${at}, behind ${rest.slice(at - 40, at)}`);
        document[at] = (document[at] ?? 0) ^ (1 << bit);
      }
    }
  }).timeout(120_000);

  it("whose nodes are reordered, missing or too many is broken", () => {
    const { account, assetSlot, links } = proof;
    const [link] = links;
    for (const [told, change] of [
      ["inclusion account-proof-broken", (nodes: string[]) => ({ ...proof, account: { proof: nodes } })],
      ["inclusion asset-proof-broken", (nodes: string[]) => ({ ...proof, assetSlot: { proof: nodes } })],
      ["links link-proof-broken", (nodes: string[]) => ({ ...proof, links: [{ child, proof: nodes }] })],
    ] as const) {
      const list = told.includes("account")
        ? account.proof
        : told.includes("asset")
          ? assetSlot.proof
          : (link?.proof ?? []);
      expect(list.length).to.be.at.least(2);
      expectInvalid(change([...list].reverse()), told);
      expectInvalid(change(list.slice(1)), told);
      expectInvalid(change(list.slice(0, -1)), told);
      expectInvalid(change([...list, list[0] as string]), told);
      expectInvalid(change([...list, "0x80"]), told);
      expectInvalid(change([]), told);
      expectInvalid(change(["0x80"]), told);
    }
  });

  it("of another registry, chain, slot or block says which", async () => {
    const elsewhere = await worldWith(asset, { registry: "0x00000000000000000000000000000000000000AA" });
    const foreign = await elsewhere.prove(asset);
    expect(verdictOf(foreign).told).to.equal("invalid: block another-block");
    const trusting = { block: { hash: elsewhere.block.hash, source: "the test" } };
    expect(verdictOf(foreign, trusting).told).to.equal("cannot check: ");
    expect(verdictOf(foreign, trusting).result.words).to.contain("whether it is a registry is unknown");
    expectInvalid({ ...foreign, block: proof.block }, "inclusion account-proof-broken");
    expectInvalid({ ...proof, registry: foreign.registry }, "id id-differs, inclusion account-proof-broken");

    const anotherChain = await (await worldWith(asset, { chainId: 1 })).prove(asset);
    expectInvalid({ ...proof, chainId: 1 }, "id id-differs");
    expectInvalid({ ...proof, chainId: 1, asset: anotherChain.asset }, "inclusion asset-proof-broken");

    expectInvalid({ ...proof, assetSlot: { proof: proof.links[0]?.proof } }, "inclusion asset-proof-broken");
    expectInvalid(
      { ...proof, links: [{ child: proof.asset.id, proof: proof.assetSlot.proof }] },
      "links link-proof-broken",
    );

    const later = await (await worldWith(asset, { number: 124 })).prove(asset);
    expect(verdictOf(later).told).to.equal("cannot check: ");
    expect(verdictOf(later).result.words).to.contain("The proof is of block 124");
    expectInvalid({ ...later, block: { ...later.block, number: 123 } }, "block header-differs");
    expectInvalid({ ...proof, block: later.block, account: later.account }, "inclusion asset-proof-broken");
  });

  it("that is a valid one of something else shows that, and not what was asked", async () => {
    const its = await worldWith(second);
    const other = await its.prove(second);
    const { result } = verdictOf(other, { block: { hash: its.block.hash, source: "the test" } });
    expect(result.asset?.id).to.equal(its.idOf(second)).and.not.equal(world.idOf(asset));
    expectInvalid({ ...other, asset: proof.asset, block: proof.block }, "inclusion account-proof-broken");
    // The texts of one asset with the proof of another.
    expectInvalid({ ...proof, asset: { ...other.asset, id: proof.asset.id } }, "id id-differs");
    expectInvalid({ ...proof, asset: other.asset }, "inclusion asset-proof-broken");
  });

  it("with a lying header does not hold", () => {
    const items = RLP.decode(bytes(proof.block.header)) as Uint8Array[];
    const withHeader = (change: (fields: unknown[]) => unknown): Proof => {
      const header = hex(RLP.encode(change([...items]) as never));
      return { ...proof, block: { ...proof.block, header, hash: keccak256(header) } };
    };
    const set = (at: number, value: unknown) => (fields: unknown[]) => fields.with(at, value);
    const own = (document: Proof) =>
      verdictOf(document, { block: { hash: document.block.hash, source: "the liar" } }).told;

    expectInvalid(withHeader(set(8, 124n)), "block header-differs");
    expectInvalid(
      withHeader(set(11, 5n)),
      "time registered-after-block, links link-malformed, block header-differs",
    );
    expectInvalid(
      withHeader(set(3, bytes(keccak256("0x")))),
      "inclusion account-proof-broken, block another-block",
    );
    for (const malformed of [
      set(3, bytes(keccak256("0x")).slice(1)),
      set(3, []),
      set(8, bytes("0x0001")),
      set(8, []),
      set(11, bytes("0xffffffffffffff")),
      set(11, bytes("0x0100000000000000")),
      (fields: unknown[]) => fields.slice(0, 14),
      () => bytes("0x00"),
      () => [],
    ]) {
      expect(own(withHeader(malformed))).to.equal("invalid: block header-malformed");
    }
    // Fields of later forks, of whatever form.
    expect(own(withHeader((fields) => [...fields, [], [new Uint8Array(3)]]))).to.equal("valid: ");
    expect(
      verdictOf({ ...proof, block: { ...proof.block, header: `${proof.block.header}00` } }).told,
    ).to.equal("invalid: block header-hash-differs");
  });

  it("takes little time, however it is made", () => {
    for (const [name, text] of Object.entries(worst)) {
      const since = performance.now();
      const { verdict }: Result = verifyDocument(text, given);
      expect(verdict, name).not.to.equal("valid");
      expect(performance.now() - since, name).to.be.below(3_000);
    }
  }).timeout(60_000);

  it("fits into a small memory, however it is made", async () => {
    const script = `
      import { verifyDocument } from "./proof/src/proof.ts";
      for await (const part of process.stdin.setEncoding("utf8").iterator()) globalThis.text = (globalThis.text ?? "") + part;
      for (const line of text.split("\\n")) verifyDocument(line);
      console.log("done");`;
    const run = promisify(execFile)(
      process.execPath,
      ["--max-old-space-size=192", "--input-type=module", "--eval", script],
      { cwd: join(import.meta.dirname, "..", "..") },
    );
    run.child.stdin?.end(Object.values(worst).join("\n"));
    expect((await run).stdout).to.equal("done\n");
  }).timeout(60_000);
});

/** Documents up to the bounds, each of which costs some part of a verifier the most. */
function worstCases(proof: Proof): Record<string, string> {
  const megabytes = 4 * 1024 * 1024 - 1;
  const children = Array.from({ length: 256 }, (_, at) => padHex(`0x${(at + 1).toString(16)}`, { size: 32 }));
  const [link] = proof.links;
  /** Lists within lists, each of which has up to three bytes beside what is in it. */
  const nested = (size: number): Hex => {
    let item: unknown[] = [];
    for (let depth = 0; depth < size / 3; depth += 1) item = [item];
    return hex(RLP.encode(item as never));
  };
  const deepHeader = nested(16_384);
  const deepNode = nested(1_024);
  const documents: Record<string, unknown> = {
    "megabytes of brackets": "[".repeat(megabytes),
    "megabytes of objects": '{"":'.repeat(megabytes / 4),
    "megabytes of short values": `[${"0,".repeat(megabytes / 2 - 2)}0]`,
    "megabytes of quotes": '"'.repeat(megabytes),
    "megabytes of backslashes": `"${"\\".repeat(megabytes - 1)}`,
    "megabytes of one escaped text": `"${"\\u0041".repeat(Math.floor(megabytes / 6) - 1)}"`,
    "megabytes of digits": "1".repeat(megabytes),
    "megabytes of spaces": " ".repeat(megabytes),
    "megabytes of members": `{${Array.from({ length: 40_000 }, (_, at) => `"${"m".repeat(80)}${at}":0`).join(",")}}`,
    "megabytes of text": { ...proof, asset: { ...proof.asset, data: "\u00e9".repeat(1_900_000) } },
    "as many links as are read, each whole": {
      ...proof,
      links: children.map((id) => ({
        child: id,
        proof: [...(link?.proof ?? []), `0x${"00".repeat(1_024)}`],
      })),
    },
    "as many nodes as are read, each as long as may be": {
      ...proof,
      links: children
        .slice(0, 30)
        .map((id) => ({ child: id, proof: Array(64).fill(`0x${"ff".repeat(1_024)}`) })),
    },
    "a header of lists within lists": {
      ...proof,
      block: { ...proof.block, header: deepHeader, hash: keccak256(deepHeader) },
    },
    "nodes of lists within lists": { ...proof, account: { proof: Array(64).fill(deepNode) } },
  };
  const textOf = (document: unknown) => (typeof document === "string" ? document : JSON.stringify(document));
  return Object.fromEntries(Object.entries(documents).map(([name, document]) => [name, textOf(document)]));
}
