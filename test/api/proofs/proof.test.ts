import { expect } from "chai";
import { type Hex, keccak256, stringToHex } from "viem";
import { limits } from "../../../domain/limits.ts";
import { type Given, type Result, readProof, verifyDocument } from "../../../proof/src/proof.ts";
import { expectError, fieldsOf, keys } from "../../support/api.ts";
import { other, owner } from "../../support/chain/accounts.ts";
import { creationOfBytes } from "../../support/chain/creation-of-bytes.ts";
import { type Service, startService } from "../../support/service.ts";

const unknown = `0x${"5a".repeat(32)}` as const;
const details = {
  data: "Flat 3",
  fileName: "Vertrag-Müller.pdf",
  fileSize: "3",
  method: "SHA-256",
  hash: "2c".repeat(32),
};

describe("the proof of an asset", () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const nobody = { key: null };
  /** Makes everything on the chain final. */
  async function settle(): Promise<void> {
    await service.rig.mine(4);
    await service.rig.caughtUp();
  }
  async function settled(fields: object = {}): Promise<string> {
    const { id } = await service.createAsset(fields);
    await settle();
    return id;
  }
  async function change(
    method: "post" | "patch",
    parent: string,
    ...targetAssetIds: string[]
  ): Promise<void> {
    const { value } = await service[method](`/assets/${parent}/links`, { targetAssetIds });
    await service.carryOut(value.transactionId);
  }

  /** Verifies as a stranger does who asks a node of his own for the hash of a block. */
  async function verified(document: { block: { number: number } }, given: Given = {}): Promise<Result> {
    const { hash } = await service.rig.chain.getBlock({ blockNumber: BigInt(document.block.number) });
    return verifyDocument(JSON.stringify(document), { block: { hash, source: "the chain" }, ...given });
  }

  const timeOf = async (block: number) =>
    Number((await service.rig.chain.getBlock({ blockNumber: BigInt(block) })).timestamp);

  it("is a document that verifies without the service, with a key and without one", async () => {
    const id = await settled(details);
    const keyed = await service.get(`/assets/${id}/proof`);
    const open = await service.get(`/public/assets/${id}/proof`, nobody);
    expect(keyed.status).to.equal(200);
    expect(open.value).to.deep.equal(keyed.value);
    const { value } = keyed;
    expect(readProof(JSON.stringify({ value }))).to.deep.equal(value);
    const result = await verified(value, { fileHash: { method: "SHA-256", digest: "2c".repeat(32) } });
    expect(result.verdict, result.words).to.equal("valid");
    const { blockNumber, blockHash, transactionHash, logIndex } = (await service.get(`/public/assets/${id}`))
      .value;
    expect(result.asset).to.deep.equal({
      ...{ id, author: owner.address, chainId: 31_337, registry: service.registry.address },
      createdOn: await timeOf(blockNumber),
    });
    expect(value.event).to.deep.equal({ blockNumber, blockHash, transactionHash, logIndex });
    expect(value.asset).to.deep.include({ name: "Lease", uri: "", fileType: "", ...details });
    expect(keccak256(value.block.header)).to.equal(value.block.hash);
    expect(value.links).to.deep.equal([]);
  });

  it("is made at the newest final block, and says so", async () => {
    const id = await settled();
    const head = Number((await service.rig.chain.getBlock()).number);
    const { value } = await service.get(`/assets/${id}/proof`);
    expect(value.block.number).to.equal(head - 4);
    expect(value.block.timestamp).to.equal(await timeOf(head - 4));
  });

  it("is at most 12 kB large", async () => {
    const id = await settled(details);
    const { value } = await service.get(`/assets/${id}/proof`);
    expect(Buffer.byteLength(JSON.stringify({ value }))).to.be.below(12_000);
  });

  it("shows of links that they stand, are revoked, or were never added, in the order asked for", async () => {
    const { id } = await service.createAsset();
    const [standing, revoked, again, never] = [
      (await service.createAsset()).id,
      (await service.createAsset()).id,
      (await service.createAsset()).id,
      (await service.createAsset()).id,
    ];
    await change("post", id, standing, revoked, again);
    await change("patch", id, revoked, again);
    await change("post", id, again);
    await settle();
    const children = [unknown, again, revoked, never, standing, id];
    for (const path of ["/assets", "/public/assets"]) {
      const asked = children.map((child) => child.toUpperCase().replace("0X", "0x"));
      const { value, status } = await service.get(`${path}/${id}/proof?links=${asked}`);
      expect(status).to.equal(200);
      expect(value.links.map(({ child }: { child: Hex }) => child)).to.deep.equal(children);
      const { verdict, words, links } = await verified(value, { children });
      expect(verdict, words).to.equal("valid");
      expect(links?.map(({ child, state }) => [child, state])).to.deep.equal([
        [unknown, "never added"],
        [again, "standing"],
        [revoked, "revoked"],
        [never, "never added"],
        [standing, "standing"],
        [id, "never added"],
      ]);
      const shown = (await service.get(`/public/assets/${id}/links`)).value.to;
      const told = shown.find((link: { id: string }) => link.id === revoked);
      const proven = links?.find(({ child }) => child === revoked);
      expect(proven).to.deep.include({
        addedOn: Date.parse(told.addedOn) / 1_000,
        revokedOn: Date.parse(told.revokedOn) / 1_000,
      });
    }
  });

  it("still verifies after more has happened, as of its own block", async () => {
    const { id } = await service.createAsset();
    const child = (await service.createAsset()).id;
    await change("post", id, child);
    await settle();
    const before = (await service.get(`/assets/${id}/proof?links=${child}`)).value;
    await change("patch", id, child);
    await settle();
    const after = (await service.get(`/assets/${id}/proof?links=${child}`)).value;
    expect(after.block.number).to.be.above(before.block.number);
    const [old, now] = [
      await verified(before, { children: [child] }),
      await verified(after, { children: [child] }),
    ];
    expect([old.verdict, now.verdict]).to.deep.equal(["valid", "valid"]);
    expect([old.links?.[0]?.state, now.links?.[0]?.state]).to.deep.equal(["standing", "revoked"]);
    expect(old.block?.number).to.equal(before.block.number);
  });

  it("is there for a link at the final block, though it was revoked in one that is not final", async () => {
    const { id } = await service.createAsset();
    const child = (await service.createAsset()).id;
    await change("post", id, child);
    await settle();
    await change("patch", id, child);
    const { value } = await service.get(`/assets/${id}/proof?links=${child}`);
    expect((await verified(value)).links?.[0]?.state).to.equal("standing");
  });

  it("is not there until the asset is final, which says which block is", async () => {
    const { id } = await service.createAsset();
    const head = Number((await service.rig.chain.getBlock()).number);
    for (const path of [`/assets/${id}/proof`, `/public/assets/${id}/proof`]) {
      const { message } = expectError(await service.get(path), 409, "ASSET_NOT_FINAL");
      expect(message)
        .to.contain(`block ${head}`)
        .and.contain(`newest final block is ${head - 4}, 4 before it`);
    }
    await settle();
    expect((await service.get(`/assets/${id}/proof`)).status).to.equal(200);
  });

  it("is not there of a request, which nobody but its tenant and its author learns of", async () => {
    const { value } = await service.post("/assets/", { name: "Secret", author: other.address });
    const path = `/assets/${value.id}/proof`;
    const { message } = expectError(await service.get(path), 409, "ASSET_NOT_FINAL");
    expect(message).to.contain("not on the chain yet");
    expectError(await service.get(path, { key: keys["tenant-b"] }), 404, "ASSET_NOT_FOUND");
    expectError(await service.get(`/public${path}`), 404, "ASSET_NOT_FOUND");
  });

  it("is not there of what is no asset, or no id", async () => {
    for (const id of [unknown, "0x12", "lease"]) {
      for (const path of [`/assets/${id}/proof`, `/public/assets/${id}/proof`]) {
        expectError(await service.get(path), 404, "ASSET_NOT_FOUND");
      }
    }
    expectError(await service.get(`/assets/${unknown}/proof`, nobody), 401, "API_KEY_MISSING");
  });

  it("takes ids of links once each, and no more than the published number", async () => {
    const id = await settled();
    const some = (count: number) =>
      Array.from({ length: count }, (_, index) => `0x${index.toString(16).padStart(64, "0")}`);
    for (const links of [
      "",
      ",",
      "lease",
      `${unknown},`,
      `${unknown}, ${some(1)}`,
      `${unknown},${unknown}`,
      `${unknown},${unknown.toUpperCase().replace("0X", "0x")}`,
      some(limits.proofLinks + 1).join(),
      `${unknown}${"0".repeat(5_000)}`,
    ]) {
      const answer = await service.get(`/public/assets/${id}/proof?links=${encodeURIComponent(links)}`);
      expectError(answer, 400, "INVALID_REQUEST");
      expect(fieldsOf(answer), links.slice(0, 200)).to.deep.equal(["links"]);
    }
    const { value } = await service.get(`/assets/${id}/proof?links=${some(limits.proofLinks)}`);
    expect(value.links).to.have.length(limits.proofLinks);
    expect((await verified(value, { children: some(limits.proofLinks) })).verdict).to.equal("valid");
  });

  it("holds texts word for word, NUL and all forms of Unicode, and none that is no UTF-8", async () => {
    const [exact, broken] = [
      await createOfBytes({ name: stringToHex("a\0\ufeffb"), data: stringToHex("Mu\u0308ller") }),
      await createOfBytes({ name: "0x41", uri: "0x61ff" }),
    ];
    await settle();
    const { value } = await service.get(`/assets/${exact}/proof`);
    expect(value.asset).to.include({ name: "a\0\ufeffb", data: "Mu\u0308ller" });
    expect((await verified(value)).verdict).to.equal("valid");
    for (const path of [`/assets/${broken}/proof`, `/public/assets/${broken}/proof`]) {
      const { message } = expectError(await service.get(path), 422, "TEXTS_NOT_UTF8");
      expect(message).to.contain("in uri,");
    }
  });

  /** Creates an asset by the registry alone. @returns its id */
  async function createOfBytes(texts: Parameters<typeof creationOfBytes>[1]): Promise<string> {
    const { rig } = service;
    const call = creationOfBytes(keccak256(stringToHex(JSON.stringify(texts))), texts);
    const hash = await rig.send((await rig.sign(call)).raw);
    await rig.mine();
    await rig.caughtUp();
    const { logs } = await rig.chain.getTransactionReceipt({ hash });
    return logs[0]?.topics[1] ?? "";
  }
});
