import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { type Hex, keccak256 } from "viem";
import { type AssetDetails, mapDetails } from "../../domain/asset/asset.ts";
import { ASSET_TYPEHASH, domainSeparator } from "../../domain/asset/typed-data.ts";
import { bounds } from "../../proof/src/document/bounds.ts";
import { registryAddress, verifyFile } from "../../proof/src/proof.ts";
import { assetId, hashAsset, rawDetails } from "../support/asset-id.ts";
import { slots } from "../support/proof/node-proof.ts";

const root = join(import.meta.dirname, "..", "..");

describe("docs/proof-format.md", () => {
  let text: string;
  before(async () => {
    text = await readFile(join(root, "docs", "proof-format.md"), "utf8");
  });

  it("gives numbers that other libraries compute, too", () => {
    const rows = new Map(
      [...text.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)].map(([, name = "", value = ""]) => {
        return [name, [...value.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code)] as const;
      }),
    );
    const details: AssetDetails = {
      ...mapDetails(() => ""),
      ...{
        name: "Lease agreement",
        fileName: "Vertrag-Müller.pdf",
        fileType: "application/pdf",
        fileSize: "3",
      },
      ...{ method: "SHA-256", hash: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    };
    expect(rows.get("texts")).to.deep.equal(Object.values(details).filter((value) => value !== ""));
    const place = { chainId: 31_337, address: registryAddress } as const;
    const [author] = rows.get("author, salt") as [Hex];
    const salt: Hex = `0x${"11".repeat(32)}`;
    const id = assetId(place, { author, salt, details });
    const link = slots.link(id, `0x${"22".repeat(32)}`);
    expect(rows.get("chain, registry")).to.deep.equal([registryAddress]);
    expect(rows.get("typeHash")).to.deep.equal([ASSET_TYPEHASH]);
    expect(rows.get("domain")).to.deep.equal([domainSeparator(place)]);
    expect(rows.get("struct")).to.deep.equal([hashAsset(author, salt, rawDetails(details))]);
    expect(rows.get("id")).to.deep.equal([id]);
    expect(rows.get("slot of the asset, and its key")).to.deep.equal([
      slots.asset(id),
      keccak256(slots.asset(id)),
    ]);
    expect(rows.get("slot of the link to the child of 32 bytes `0x22`, and its key")).to.deep.equal([
      link,
      keccak256(link),
    ]);
    expect(rows.get("key of the account")).to.deep.equal([keccak256(registryAddress)]);
  });

  it("comes with an example that is valid, and shows what is said of it", async () => {
    const example = await readFile(join(root, "docs", "proof-example.json"));
    const { block } = JSON.parse(example.toString());
    const given = { block: { hash: block.hash, source: "the example" } };
    const { verdict, words, links, asset } = await verifyFile(example, Buffer.from("abc"), given);
    expect(verdict, `${words} \`node test/support/proof/write-example.ts\` makes it anew.`).to.equal("valid");
    expect(links?.map(({ state }) => state)).to.deep.equal([
      "standing",
      "revoked",
      "standing",
      "never added",
    ]);
    expect(asset?.registry).to.equal(registryAddress);
  });

  it("names the registry's address and the bounds as the code has them", () => {
    expect(text).to.contain(`the same address on every chain, \`${registryAddress}\``);
    for (const words of [
      `at most ${bounds.documentBytes / 1024 / 1024} MiB`,
      `nested at most ${bounds.depth} deep, and there are at most ${bounds.values.toLocaleString("en")} of them`,
      `at most ${bounds.nodes}, each of 1 to ${bounds.nodeBytes.toLocaleString("en")} bytes`,
      `1 to ${bounds.headerBytes.toLocaleString("en")} bytes`,
      `at most ${bounds.links} links`,
    ]) {
      expect(text).to.contain(words);
    }
  });
});
