import { expect } from "chai";
import fc from "fast-check";
import {
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  hexToBytes,
  keccak256,
  pad,
  toEventSelector,
  toHex,
} from "viem";
import type { AssetEvent } from "../../../db/chain/asset-event.ts";
import { detailFields, mapDetails, type RawDetails } from "../../../domain/asset/asset.ts";
import { createDigests } from "../../../domain/asset/digests.ts";
import type { Registry } from "../../../domain/asset/typed-data.ts";
import { registryAbi } from "../../../domain/registry/abi.ts";
import { decodeLogs as decode } from "../../../indexer/sync/decode.ts";
import type { Log } from "../../../rpc/logs/logs.ts";
import { assetIdOf, hashAsset } from "../../support/asset-id.ts";
import { other, owner } from "../../support/chain/accounts.ts";

const registry = { chainId: 31_337, address: other.address };
const place = {
  blockNumber: 5,
  blockHash: keccak256("0x05"),
  transactionHash: keccak256("0x06"),
  transactionIndex: 3,
  logIndex: 4,
};
const salt = keccak256("0x01");
const components = detailFields.map((name) => ({ name, type: "bytes" }) as const);

function creation(details: RawDetails): Log & { topics: [Hex, Hex, Hex] } {
  const id = assetIdOf(registry, hashAsset(owner.address, salt, details));
  const args = { id, author: owner.address };
  const topics = encodeEventTopics({ abi: registryAbi, eventName: "AssetCreated", args }) as [Hex, Hex, Hex];
  const texts = mapDetails((field) => toHex(details[field]));
  const data = encodeAbiParameters([{ type: "bytes32" }, { type: "tuple", components }], [salt, texts]);
  return { ...place, topics, data: hexToBytes(data) };
}

function decodeLogs(of: Registry, logs: readonly Log[]) {
  const decoded = decode(createDigests(of), logs);
  return { ...decoded, assets: decoded.assets.map(plain) };
}

/** The parts of an asset as texts. */
function plain(asset: AssetEvent) {
  return {
    id: toHex(asset.id),
    author: toHex(asset.author),
    salt: toHex(asset.salt),
    details: mapDetails((field) => toHex(asset.texts[detailFields.indexOf(field)] as Uint8Array)),
    contentHash: toHex(asset.contentHash),
    position: asset.position,
  };
}

const details = mapDetails((field) => new TextEncoder().encode(`${field} 契約`));

describe("decodeLogs", () => {
  it("reads every creation as viem encodes it, and computes what its id commits to", () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    const anyDetails = fc.record(mapDetails(() => bytes) as Record<keyof RawDetails, typeof bytes>);
    fc.assert(
      fc.property(anyDetails, (texts) => {
        const log = creation(texts);
        const { assets, undecoded } = decodeLogs(registry, [log]);
        expect(undecoded).to.deep.equal([]);
        const [asset] = assets;
        expect(asset?.id).to.equal(log.topics[1]);
        expect(asset?.author).to.equal(owner.address.toLowerCase());
        expect(asset?.salt).to.equal(salt);
        expect(asset?.contentHash).to.equal(hashAsset(owner.address, salt, texts));
        expect(asset?.details).to.deep.equal(mapDetails((field) => toHex(texts[field])));
        expect({ blockHash: place.blockHash, ...asset?.position }).to.deep.equal(place);
      }),
      { numRuns: 100 },
    );
  });

  it("sets aside a creation of which a byte was changed, whichever it is", () => {
    const { data, ...log } = creation(details);
    fc.assert(
      fc.property(fc.nat(data.length - 1), fc.integer({ min: 1, max: 255 }), (at, difference) => {
        const changed = data.map((byte, place) => (place === at ? byte ^ difference : byte));
        const { assets, undecoded } = decodeLogs(registry, [{ ...log, data: changed }]);
        // What fills the words up behind a text is no part of the asset.
        if (assets.length > 0) expect(decodeLogs(registry, [{ ...log, data }]).assets).to.deep.equal(assets);
        else expect(undecoded).to.have.length(1);
      }),
      { numRuns: 200 },
    );
  });

  it("sets aside data that ends anywhere before its end", () => {
    const { data, ...log } = creation(details);
    for (let length = 0; length < data.length - 32; length += 1) {
      const { assets, undecoded } = decodeLogs(registry, [{ ...log, data: data.slice(0, length) }]);
      expect([assets.length, undecoded.length]).to.deep.equal([0, 1]);
    }
  });

  it("sets aside the event of another registry, with the reason", () => {
    const log = creation(details);
    const elsewhere = { ...registry, chainId: 1 };
    const { undecoded } = decodeLogs(elsewhere, [log]);
    expect(undecoded[0]?.problem).to.equal("the id does not commit to the content");
  });

  it("sets aside strange topics and goes on", () => {
    const good = creation(details);
    const [created, id, author] = good.topics;
    const linked = encodeEventTopics({
      abi: registryAbi,
      eventName: "LinkAdded",
      args: { parent: id, child: salt },
    }) as Hex[];
    const strange: Hex[][] = [
      [],
      [keccak256("0x")],
      [created],
      [created, id],
      [created, id, pad("0x1")],
      linked.slice(0, 2),
    ];
    const logs = strange.map((topics) => ({ ...good, topics }));
    const dirtyAuthor = { ...good, topics: [created, id, `0x01${author.slice(4)}` as Hex] };
    const linkWithData = { ...good, topics: linked };
    const link = { ...good, topics: linked, data: new Uint8Array() };
    const decoded = decodeLogs(registry, [...logs, dirtyAuthor, linkWithData, link, good]);
    expect(decoded.undecoded).to.have.length(strange.length + 2);
    expect(decoded.assets).to.have.length(1);
    const { blockHash: _, ...position } = place;
    expect(decoded.links).to.deep.equal([{ kind: "added", parent: id, child: salt, position }]);
  });

  it("reads what an author voided: a creation by its id, a link change by its nonce", () => {
    const word = keccak256("0x01");
    const author = owner.address.toLowerCase() as Hex;
    const cancelled = [
      [toEventSelector("CreationCancelled(bytes32,address)"), word, pad(author)],
      [toEventSelector("LinkChangeCancelled(address,uint256)"), pad(author), word],
    ].map((topics) => ({ ...place, topics, data: new Uint8Array() }));
    const { blockHash: _, ...position } = place;
    const voided = { author, subject: word, position };
    expect(decodeLogs(registry, cancelled)).to.deep.equal({
      assets: [],
      links: [],
      cancellations: [voided, voided],
      undecoded: [],
    });
  });
});
