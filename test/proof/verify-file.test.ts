import { createHash } from "node:crypto";
import { expect } from "chai";
import { verifyFile } from "../../proof/src/proof.ts";
import { someAsset, worldWith } from "../support/proof/world.ts";

const author = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const file = Buffer.from("line one\nline two\n");
const hashBy = (method: string) => createHash(method).update(file).digest("hex");

describe("verifyFile", () => {
  const contentOf = async (stored: { method: string; hash: string }, bytes: Uint8Array = file) => {
    const asset = someAsset(author, stored);
    const world = await worldWith(asset);
    const given = { block: { hash: world.block.hash, source: "the test" } };
    const { verdict, checks } = await verifyFile(JSON.stringify(await world.prove(asset)), bytes, given);
    return `${verdict}: ${checks[0]?.code}`;
  };

  it("hashes the file by the method that the asset names", async () => {
    for (const [method, name] of Object.entries({
      sha256: "SHA-256",
      sha1: "sha1",
      blake2b512: "BLAKE2b-512",
    })) {
      expect(await contentOf({ method: name, hash: hashBy(method) })).to.equal("valid: file-matches");
    }
    expect(await contentOf({ method: "", hash: `sha256:${hashBy("sha256")}` })).to.equal(
      "valid: file-matches",
    );
  });

  it("takes the same text with other line ends for another file", async () => {
    const windows = Buffer.from(file.toString().replaceAll("\n", "\r\n"));
    const stored = { method: "SHA-256", hash: hashBy("sha256") };
    expect(await contentOf(stored, windows)).to.equal("invalid: file-differs");
  });

  it("says why it could not compare", async () => {
    expect(await contentOf({ method: "BLAKE9", hash: hashBy("sha256") })).to.equal(
      "cannot check: unknown-method",
    );
    expect(await contentOf({ method: "", hash: hashBy("sha256") })).to.equal("cannot check: no-method");
    expect(await contentOf({ method: "SHA-256", hash: "" })).to.equal("cannot check: no-hash");
    const { checks } = await verifyFile("{", file);
    expect(new Set(checks.map(({ code }) => code))).to.deep.equal(new Set(["unreadable-document"]));
  });
});
