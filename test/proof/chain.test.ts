import { expect } from "chai";
import { type Hex, padHex } from "viem";
import { type Proof, type Result, registryAddress, verifyDocument } from "../../proof/src/proof.ts";
import { assetId } from "../support/asset-id.ts";
import { other, owner } from "../support/chain/accounts.ts";
import { callRegistry, type ProofChain, proofChains } from "../support/proof/chains.ts";
import { proofFromNode } from "../support/proof/node-proof.ts";
import { someAsset } from "../support/proof/world.ts";

const asset = someAsset(owner.address, { name: "Müller", data: "x".repeat(70_000) });
const place = { chainId: 31_337, address: registryAddress } as const;
const children = ["first", "second", "third", "fourth"].map((name) => someAsset(other.address, { name }));
const idOf = (content: typeof asset) => assetId(place, content);
const parent = idOf(asset);
const [standing, revoked, never, again] = children.map(idOf) as [Hex, Hex, Hex, Hex];

for (const [name, start] of Object.entries(proofChains)) {
  describe(`proofs of ${name}`, () => {
    let chain: ProofChain;
    const call = (
      ...args: Parameters<typeof callRegistry> extends [unknown, unknown, ...infer Rest] ? Rest : never
    ) => callRegistry(chain.rpc, registryAddress, ...args);
    const create = (content: typeof asset) =>
      call(content.author, { functionName: "createAsset", args: [content.salt, content.details] });
    const link = (child: Hex) => call(owner.address, { functionName: "link", args: [parent, [child]] });
    const revoke = (child: Hex) =>
      call(owner.address, { functionName: "revokeLinks", args: [parent, [child]] });
    const prove = (content = asset, asked: Hex[] = []) =>
      proofFromNode(chain.rpc, {
        chainId: chain.chainId,
        registry: registryAddress,
        asset: content,
        children: asked,
      });
    const now = async () => {
      const { timestamp } = (await chain.rpc("eth_getBlockByNumber", ["latest", false])) as {
        timestamp: Hex;
      };
      return Number(timestamp);
    };
    const trusting = (proof: Proof) => ({ block: { hash: proof.block.hash, source: "this node" } });
    const verify = (proof: Proof): Result => verifyDocument(JSON.stringify(proof), trusting(proof));

    before(async () => {
      chain = await start();
    });
    after(() => chain?.release());

    it("show what was registered and linked, as of their block, whatever happens after it", async () => {
      const times: Record<string, number> = {};
      expect(verify(await prove()).checks.find(({ name: check }) => check === "inclusion")?.code).to.equal(
        "not-registered",
      );
      await create(asset);
      times["created"] = await now();
      for (const child of children) await create(child);
      await link(standing);
      times["standing"] = await now();
      await link(revoked);
      times["revoked"] = await now();
      await link(again);
      const early = await prove(asset, [standing, revoked, never, again]);
      await revoke(revoked);
      times["revocation"] = await now();
      await revoke(again);
      const between = await prove(asset, [again]);
      await chain.rpc("evm_increaseTime", [1_000]);
      await link(again);
      times["again"] = await now();
      const late = await prove(asset, [standing, revoked, never, again]);

      const shown = verify(late);
      expect(shown.words).to.contain("The proof is valid.");
      expect(shown.asset).to.deep.equal({
        ...{ id: parent, author: owner.address, chainId: 31_337, registry: registryAddress },
        createdOn: times["created"],
      });
      expect(shown.links).to.deep.equal([
        { child: standing, state: "standing", addedOn: times["standing"] },
        { child: revoked, state: "revoked", addedOn: times["revoked"], revokedOn: times["revocation"] },
        { child: never, state: "never added" },
        { child: again, state: "standing", addedOn: times["again"] },
      ]);
      expect(verify(between).links?.map(({ state }) => state)).to.deep.equal(["revoked"]);
      const before = verify(early);
      expect(before.verdict).to.equal("valid");
      expect(before.block).to.deep.include({ number: early.block.number, timestamp: early.block.timestamp });
      expect(before.links?.map(({ state }) => state)).to.deep.equal([
        ...["standing", "standing", "never added", "standing"],
      ]);
    });

    it("do not show what an author cancelled, until it is created", async () => {
      const cancelled = someAsset(owner.address, { name: "cancelled" });
      const codes = async () => verify(await prove(cancelled)).checks.map(({ code }) => code);
      const args: [Hex, typeof asset.details] = [cancelled.salt, cancelled.details];
      await call(owner.address, { functionName: "cancelCreation", args });
      expect(await codes()).to.include("creation-cancelled");
      await create(cancelled);
      expect(await codes()).to.include("included");
    });

    it("are of one block, link and asset alone", async () => {
      const proof = await prove(asset, [standing]);
      const unlinked = await prove(asset, [never]);
      const mixed = { ...proof, links: [{ child: never, proof: proof.links[0]?.proof ?? [] }] };
      expect(verify(mixed).verdict).to.equal("invalid");
      await create(someAsset(other.address, { name: "a later block" }));
      const later = await prove(asset, [standing]);
      for (const forged of [
        { ...proof, block: later.block },
        { ...proof, account: later.account },
        { ...proof, assetSlot: later.assetSlot },
        { ...unlinked, links: later.links },
        { ...proof, asset: { ...proof.asset, id: standing } },
        { ...proof, asset: { ...proof.asset, salt: padHex("0x12", { size: 32 }) } },
      ]) {
        expect(verify(forged).verdict).to.equal("invalid");
      }
      expect(verify({ ...later, links: [] }).verdict).to.equal("valid");
    });
  });
}
