import { expect } from "chai";
import { type Address, padHex } from "viem";
import {
  type CheckName,
  type Given,
  type Proof,
  registryAddress,
  verifyProof,
} from "../../proof/src/proof.ts";
import { assetId } from "../support/asset-id.ts";
import { slots } from "../support/proof/node-proof.ts";
import {
  assetWord,
  blockTime,
  createWorld,
  linkWord,
  someAsset,
  type World,
  worldWith,
} from "../support/proof/world.ts";

const author = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const stranger = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const asset = someAsset(author, {
  method: "SHA-256",
  hash: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
});
const child = padHex("0x22", { size: 32 });
const [standing, revoked, never] = [
  child,
  padHex("0x33", { size: 32 }),
  padHex("0x44", { size: 32 }),
] as const;

const trusting = (world: World): Given => ({ block: { hash: world.block.hash, source: "given by hand" } });
const codeOf = (proof: Proof, given: Given, name: CheckName) => {
  const { verdict, checks } = verifyProof(proof, given);
  const { outcome, code } = checks.find((check) => check.name === name) ?? {};
  return `${verdict}: ${name} ${outcome}, ${code}`;
};

describe("verifyProof", () => {
  let world: World;
  before(async () => {
    world = await worldWith(asset, {
      links: { [standing]: linkWord(blockTime - 500), [revoked]: linkWord(blockTime - 500, blockTime - 100) },
    });
  });

  describe("given a proof of an asset", () => {
    it("shows author, time and block", async () => {
      const result = verifyProof(await world.prove(asset), trusting(world));
      expect(result.checks.map(({ name, outcome }) => `${name}: ${outcome}`)).to.deep.equal([
        "content: cannot check",
        "id: valid",
        "author: valid",
        "time: valid",
        "inclusion: valid",
        "links: cannot check",
        "block: valid",
      ]);
      expect(result.verdict).to.equal("valid");
      expect(result.asset).to.deep.equal({
        ...{ id: world.idOf(asset), author, chainId: 31_337, registry: registryAddress },
        createdOn: blockTime - 1_000,
      });
      expect(result.block).to.deep.equal({ ...world.block, source: "given by hand" });
      expect(result.links).to.equal(undefined);
      expect(result.words)
        .to.contain("2026-09-21 13:56:40 UTC")
        .and.to.contain("given by hand")
        .and.to.contain("No file was compared");
    });

    it("cannot check the block where nobody is trusted, and finds nothing against it", async () => {
      const proof = await world.prove(asset);
      expect(codeOf(proof, {}, "block")).to.equal("cannot check: block cannot check, no-trusted-block");
      const { block, asset: shown } = verifyProof(proof);
      expect(block?.source).to.equal(undefined);
      expect(shown?.author).to.equal(author);
    });

    it("takes the hash that is trusted in any case, and refuses another", async () => {
      const proof = await world.prove(asset);
      const upper = `0x${world.block.hash.slice(2).toUpperCase()}`;
      expect(verifyProof(proof, { block: { hash: upper, source: "paper" } }).verdict).to.equal("valid");
      const hash = padHex("0xbad", { size: 32 });
      expect(codeOf(proof, { block: { hash, source: "paper" } }, "block")).to.equal(
        "invalid: block invalid, another-block",
      );
      expect(codeOf(proof, { block: { hash, number: 123, source: "paper" } }, "block")).to.equal(
        "invalid: block invalid, another-block",
      );
      expect(codeOf(proof, { block: { hash, number: 124, source: "paper" } }, "block")).to.equal(
        "cannot check: block cannot check, another-block-number",
      );
      expect(codeOf(proof, { block: { hash: "0xbad", source: "paper" } }, "block")).to.equal(
        "cannot check: block cannot check, unreadable-block-hash",
      );
    });
  });

  describe("given links", () => {
    it("shows which stand, which are revoked, and which were never added", async () => {
      const proof = await world.prove(asset, [standing, revoked, never]);
      const result = verifyProof(proof, {
        ...trusting(world),
        children: [never, standing.toUpperCase().replace("X", "x")],
      });
      expect(result.verdict).to.equal("valid");
      expect(result.links).to.deep.equal([
        { child: standing, state: "standing", addedOn: blockTime - 500 },
        { child: revoked, state: "revoked", addedOn: blockTime - 500, revokedOn: blockTime - 100 },
        { child: never, state: "never added" },
      ]);
    });

    it("cannot tell of a child that is not in the proof", async () => {
      const given = { ...trusting(world), children: [standing] };
      expect(codeOf(await world.prove(asset, [never]), given, "links")).to.equal(
        "cannot check: links cannot check, link-missing",
      );
      expect(codeOf(await world.prove(asset), given, "links")).to.equal(
        "cannot check: links cannot check, link-missing",
      );
    });

    it("takes no proof of one link for another, and none that misses a node for an absence", async () => {
      const proof = await world.prove(asset, [standing]);
      for (const links of [
        [{ child: never, proof: proof.links[0]?.proof ?? [] }],
        [{ child: standing, proof: proof.links[0]?.proof.slice(0, -1) ?? [] }],
        [{ child: standing, proof: [] }],
        [{ child: never, proof: [] }],
        [{ child: standing, proof: proof.assetSlot.proof }],
      ]) {
        expect(codeOf({ ...proof, links }, trusting(world), "links")).to.equal(
          "invalid: links invalid, link-proof-broken",
        );
      }
    });

    for (const [name, word] of Object.entries({
      "of a time after the block": linkWord(blockTime + 1),
      "revoked after the block": linkWord(blockTime, blockTime + 1),
      "revoked before it was added": linkWord(blockTime, blockTime - 1),
      "revoked and never added": linkWord(0, blockTime),
      "with more than two times": linkWord(blockTime) | (1n << 96n),
    })) {
      it(`finds a record that no registry writes: ${name}`, async () => {
        const odd = await worldWith(asset, { links: { [child]: word } });
        expect(codeOf(await odd.prove(asset, [child]), trusting(odd), "links")).to.equal(
          "invalid: links invalid, link-malformed",
        );
      });
    }
  });

  describe("given a file", () => {
    const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const contentOf = async (
      stored: { method: string; hash: string },
      file: { method: string; digest: string },
    ) => {
      const own = someAsset(author, stored);
      const its = await worldWith(own);
      return codeOf(await its.prove(own), { ...trusting(its), fileHash: file }, "content");
    };
    const sha256 = { method: "sha256", digest: abc };

    it("compares its digest, in whatever spelling it stands in the asset", async () => {
      for (const stored of [
        { method: "SHA-256", hash: abc },
        { method: "sha2_256", hash: `0x${abc.toUpperCase()}` },
        { method: "SHA-256", hash: Buffer.from(abc, "hex").toString("base64") },
        { method: "", hash: `sha256-${Buffer.from(abc, "hex").toString("base64")}` },
      ]) {
        expect(await contentOf(stored, sha256)).to.equal("valid: content valid, file-matches");
      }
    });

    it("warns of a method that is broken", async () => {
      const md5 = "900150983cd24fb0d6963f7d28e17f72";
      const own = someAsset(author, { method: "MD5", hash: md5 });
      const its = await worldWith(own);
      const given = { ...trusting(its), fileHash: { method: "md5", digest: md5 } };
      const { verdict, words } = verifyProof(await its.prove(own), given);
      expect(verdict).to.equal("valid");
      expect(words).to.contain("But MD5 is broken");
    });

    it("finds another file", async () => {
      const other = { method: "sha256", digest: abc.replace("b", "c") };
      expect(await contentOf({ method: "SHA-256", hash: abc }, other)).to.equal(
        "invalid: content invalid, file-differs",
      );
    });

    for (const [stored, file, code] of [
      [{ method: "SHA-256", hash: "" }, sha256, "no-hash"],
      [{ method: "", hash: abc }, sha256, "no-method"],
      [{ method: "BLAKE9", hash: abc }, sha256, "unknown-method"],
      [{ method: "SHA-256", hash: "abc" }, sha256, "unreadable-hash"],
      [{ method: "SHA3-256", hash: abc }, sha256, "another-method"],
      [{ method: "SHA-256", hash: abc }, { method: "sha256", digest: "abc" }, "unreadable-digest"],
    ] as const) {
      it(`says that it could not compare, and not that the file is another: ${code}`, async () => {
        expect(await contentOf(stored, file)).to.equal(`cannot check: content cannot check, ${code}`);
      });
    }
  });

  describe("given a document that contradicts itself", () => {
    const forged = (change: (proof: Proof) => Proof) => async (name: CheckName) => {
      const proof = change(structuredClone(await world.prove(asset)));
      return codeOf(proof, trusting(world), name);
    };

    it("finds another text, author, salt, chain or registry by the id", async () => {
      for (const change of [
        (proof: Proof) => ({ ...proof, asset: { ...proof.asset, name: "Lease agreement " } }),
        (proof: Proof) => ({ ...proof, asset: { ...proof.asset, uri: "\0" } }),
        (proof: Proof) => ({ ...proof, asset: { ...proof.asset, author: stranger } }),
        (proof: Proof) => ({ ...proof, asset: { ...proof.asset, salt: child } }),
        (proof: Proof) => ({ ...proof, chainId: 1 }),
        (proof: Proof) => ({ ...proof, registry: stranger }),
      ]) {
        expect(await forged(change)("id")).to.equal("invalid: id invalid, id-differs");
      }
    });

    it("finds another id by its slot", async () => {
      const change = (proof: Proof) => ({ ...proof, asset: { ...proof.asset, id: child } });
      expect(await forged(change)("inclusion")).to.equal("invalid: inclusion invalid, asset-proof-broken");
    });

    it("finds another author by the record", async () => {
      const words = { [slots.asset(world.idOf(asset))]: assetWord(stranger, blockTime) };
      const odd = await createWorld({ words });
      expect(codeOf(await odd.prove(asset), trusting(odd), "author")).to.equal(
        "invalid: author invalid, author-differs",
      );
    });

    it("finds a header that is not the block's, or says something else than stands beside it", async () => {
      const lie = (block: Partial<Proof["block"]>) =>
        forged((proof) => ({ ...proof, block: { ...proof.block, ...block } }));
      expect(await lie({ hash: child })("block")).to.equal("invalid: block invalid, header-hash-differs");
      expect(await lie({ hash: child })("inclusion")).to.contain("inclusion cannot check, no-state-root");
      expect(await lie({ number: 124 })("block")).to.equal("invalid: block invalid, header-differs");
      expect(await lie({ timestamp: blockTime + 1 })("block")).to.equal(
        "invalid: block invalid, header-differs",
      );
    });
  });

  describe("given a registry", () => {
    const elsewhere: Address = "0x00000000000000000000000000000000000000AA";

    it("cannot tell whether a contract is one, unless it has the registry's address", async () => {
      const its = await worldWith(asset, { registry: elsewhere });
      const proof = await its.prove(asset);
      expect(codeOf(proof, trusting(its), "inclusion")).to.equal(
        "cannot check: inclusion cannot check, unknown-registry",
      );
      expect(codeOf(proof, trusting(its), "author")).to.contain("author cannot check, not-included");
      expect(verifyProof(proof, trusting(its)).asset).to.equal(undefined);
    });

    it("takes one that the verifier names, and refuses another than that", async () => {
      const its = await worldWith(asset, { registry: elsewhere });
      for (const registry of [elsewhere, elsewhere.toLowerCase()]) {
        expect(verifyProof(await its.prove(asset), { ...trusting(its), registry }).verdict).to.equal("valid");
      }
      expect(
        codeOf(await world.prove(asset), { ...trusting(world), registry: elsewhere }, "inclusion"),
      ).to.equal("invalid: inclusion invalid, another-registry");
      expect(
        codeOf(await world.prove(asset), { ...trusting(world), registry: "0xaa" }, "inclusion"),
      ).to.equal("cannot check: inclusion cannot check, unreadable-registry");
    });
  });

  describe("given a block at which the asset does not stand", () => {
    const inclusionOf = async (its: World) => codeOf(await its.prove(asset), trusting(its), "inclusion");
    const slot = slots.asset(assetId({ chainId: 31_337, address: registryAddress }, asset));

    it("says that it is not registered", async () => {
      expect(await inclusionOf(await createWorld())).to.equal("invalid: inclusion invalid, not-registered");
      expect(await inclusionOf(await createWorld({ others: 0 }))).to.equal(
        "invalid: inclusion invalid, not-registered",
      );
      expect(await inclusionOf(await createWorld({ hasRegistry: false }))).to.equal(
        "invalid: inclusion invalid, no-registry",
      );
    });

    it("says that its creation was cancelled", async () => {
      const words = { [slot]: assetWord("0x0", 0, blockTime - 1) };
      expect(await inclusionOf(await createWorld({ words }))).to.equal(
        "invalid: inclusion invalid, creation-cancelled",
      );
    });

    for (const [name, word] of Object.entries({
      "an author and no time": assetWord(author, 0),
      "a time and no author": assetWord("0x0", blockTime),
      "a creation that was made and cancelled": assetWord(author, blockTime, blockTime),
      "a zero at the front": Uint8Array.of(0x82, 0x00, 0x81),
      "no number": Uint8Array.of(0x80),
      "a list": Uint8Array.of(0xc1, 0x01),
      "more than a word": Uint8Array.of(0xa1, ...new Uint8Array(33).fill(1)),
      "two values": Uint8Array.of(0x01, 0x02),
    })) {
      it(`finds a record that no registry writes: ${name}`, async () => {
        expect(await inclusionOf(await createWorld({ words: { [slot]: word } }))).to.equal(
          "invalid: inclusion invalid, record-malformed",
        );
      });
    }

    it("finds an account that is none", async () => {
      const hash = new Uint8Array(32).fill(1);
      for (const account of [
        () => [1n, 0n, hash],
        (root: Uint8Array) => [1n, 0n, root, hash, 1n],
        (root: Uint8Array) => [1n, [], root, hash],
        (root: Uint8Array) => [1n, 0n, root.slice(1), hash],
        (root: Uint8Array) => [1n, 0n, root, hash.slice(1)],
      ]) {
        expect(await inclusionOf(await worldWith(asset, { account }))).to.equal(
          "invalid: inclusion invalid, account-malformed",
        );
      }
    });

    it("finds a time after the block", async () => {
      const its = await worldWith(asset, { createdOn: blockTime + 1 });
      expect(codeOf(await its.prove(asset), trusting(its), "time")).to.equal(
        "invalid: time invalid, registered-after-block",
      );
    });
  });
});
