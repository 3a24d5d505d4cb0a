import { expect } from "chai";
import { type Hex, hexToBytes, keccak256, stringToHex, toHex } from "viem";
import { countUndecoded } from "../../../db/reads/undecoded.ts";
import { mapDetails } from "../../../domain/asset/asset.ts";
import { deployRegistry } from "../../../scripts/contracts/deploy-registry.ts";
import { assetIdOf, hashAsset } from "../../support/asset-id.ts";
import { deployerKey, owner } from "../../support/chain/accounts.ts";
import { creationOfBytes } from "../../support/chain/creation-of-bytes.ts";
import { findAsset } from "../../support/database/find-asset.ts";
import { standingLinks } from "../../support/database/standing-links.ts";
import { calldataOf, type Rig, type sampleDetails, startRig } from "../../support/rigs/rig.ts";

describe("what the chain may bring", () => {
  let rig: Rig;

  before(async () => {
    rig = await startRig();
    await rig.startIndexer();
  });
  after(() => rig.stop());

  /** Calls the registry with texts that are any bytes. */
  async function createRaw(salt: Hex, texts: Partial<Record<keyof typeof sampleDetails, Hex>>) {
    const call = creationOfBytes(salt, texts);
    await rig.send((await rig.sign(call, { gas: 3_000_000n })).raw);
    await rig.mine();
    await rig.caughtUp();
    const raw = mapDetails((field) => hexToBytes(texts[field] ?? "0x"));
    const id = assetIdOf(rig.registry, hashAsset(owner.address, salt, raw));
    return { id, raw, found: await findAsset(rig.pool, id) };
  }

  const salt = (text: string) => keccak256(stringToHex(text));

  it("keeps a name with a NUL byte exactly, shows it with a mark, and goes on", async () => {
    const { id, raw, found } = await createRaw(salt("nul"), { name: "0x410042", data: "0xefbbbf68" });
    expect(found?.details.name).to.equal("A\u2400B");
    expect(found?.details.data).to.equal("\ufeffh");
    expect(toHex(found?.raw?.name ?? "")).to.equal("0x410042");
    expect(hashAsset(owner.address, salt("nul"), found?.raw ?? raw)).to.equal(
      hashAsset(owner.address, salt("nul"), raw),
    );
    const next = await createRaw(salt("next"), { name: stringToHex("Y") });
    expect(next.found?.details.name).to.equal("Y");
    expect(await findAsset(rig.pool, id)).to.have.property("id", id);
  });

  it("keeps broken UTF-8 exactly and shows a mark", async () => {
    const { found } = await createRaw(salt("broken"), { name: "0x61c328ff", uri: "0xeda080" });
    expect(found?.details.name).to.equal("a\ufffd(\ufffd");
    expect(toHex(found?.raw?.name ?? "")).to.equal("0x61c328ff");
    expect(toHex(found?.raw?.uri ?? "")).to.equal("0xeda080");
  });

  it("keeps free text to the byte", async () => {
    const texts = [
      '{"b":1.0,"a":12345678901234567890,"a":2,"k\'/#":"é\\t"}',
      "<a><![CDATA[ x ]]></a>",
      " ".repeat(10_000),
    ];
    for (const [index, text] of texts.entries()) {
      const { found } = await createRaw(salt(`free ${index}`), {
        name: stringToHex("text"),
        data: stringToHex(text),
      });
      expect(found?.details.data).to.equal(text);
    }
  });

  it("takes nothing from a second registry at another address", async () => {
    await rig.anvil.rpc("evm_setAutomine", [true]);
    const salt = `0x${"01".repeat(32)}` as const;
    const { registry } = await deployRegistry({ rpcUrl: rig.anvil.url, deployerKey, salt });
    await rig.anvil.rpc("evm_setAutomine", [false]);
    const { id, asset } = await rig.requestCreation();
    await rig.send((await rig.sign((await rig.find(id)).calldata, { to: registry })).raw);
    await rig.mine();
    await rig.caughtUp();
    expect(await findAsset(rig.pool, asset)).to.equal(undefined);
    expect(await rig.stateOf(id)).to.deep.equal({ state: "Received" });
    expect(await countUndecoded(rig.pool)).to.equal(0);
  });

  it("applies the events of one block in their order", async () => {
    const [a, b] = [await rig.requestCreation(), await rig.requestCreation()];
    const targets = [{ child: b.asset, nth: 1 }];
    let nonce = await rig.chain.getTransactionCount({ address: owner.address });
    const calls = [
      (await rig.find(a.id)).calldata,
      (await rig.find(b.id)).calldata,
      calldataOf(a.asset, { kind: "link", targets }),
      calldataOf(a.asset, { kind: "revoke", targets }),
      calldataOf(a.asset, { kind: "link", targets }),
    ];
    for (const call of calls) {
      await rig.send((await rig.sign(call, { nonce })).raw);
      nonce += 1;
    }
    await rig.mine();
    await rig.caughtUp();
    expect(await standingLinks(rig.pool, a.asset)).to.deep.equal({ from: [], to: [b.asset] });
    const { rows } = await rig.pool.query(
      "select nth, revoked_block is null as stands from chain.links where parent = $1 order by nth",
      [Buffer.from(a.asset.slice(2), "hex")],
    );
    expect(rows).to.deep.equal([
      { nth: 1, stands: false },
      { nth: 2, stands: true },
    ]);
  });
});
