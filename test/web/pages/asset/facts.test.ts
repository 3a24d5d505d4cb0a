import type { PublicAsset } from "asset-registry-client";
import { computeAssetId, computeContentHash } from "asset-registry-proof";
import { expect } from "chai";
import { checkContent } from "../../../../web/src/pages/asset/facts/content-check.ts";
import { webLink } from "../../../../web/src/pages/asset/facts/uri.ts";

describe("the address of a file", () => {
  it("is a link where it is plainly one on the web, with the host that it leads to", () => {
    const links: [string, string][] = [
      ["https://example.org/lease.pdf", "example.org"],
      ["HTTP://example.org:8080/?a=b#c", "example.org:8080"],
      ["https://good.test@evil.test/", "evil.test"],
      ["https://good.test\\@evil.test", "good.test"],
      ["https://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com"],
      ["https://аpple.com/", "xn--pple-43d.com"],
    ];
    for (const [text, host] of links) {
      const link = webLink(text);
      expect(link?.host, text).to.equal(host);
      expect(new URL(link?.href ?? "").host, text).to.equal(host);
    }
  });

  it("stays text in every other form", () => {
    for (const text of [
      ...["javascript:alert(1)", "jaVaScript:alert(1)", "\0javascript:alert(1)", "\0https://evil.test"],
      ...[" https://evil.test", "https://evil.test/\u202egpj.exe", "ht\ntps://evil.test", "https://a b/"],
      ...[
        "data:text/html,<b>",
        " vbscript:x",
        "//evil.test",
        "/assets",
        "evil.test",
        "ipfs://Qm",
        "ftp://a/",
      ],
      ...["https://", "http:///", "https://[", "file:///etc/passwd", "", `https://a/${"b".repeat(2_000)}`],
    ]) {
      expect(webLink(text), JSON.stringify(text)).to.equal(undefined);
    }
  });
});

describe("the check of an asset's content", () => {
  const texts = {
    ...{ name: "Lease \u202e", data: "é\0", fileName: "a.pdf", fileType: "", fileSize: "3" },
    ...{ method: "SHA2-256", hash: "ab", uri: "" },
  };
  const content = { author: `0x${"12".repeat(20)}`, salt: `0x${"34".repeat(32)}`, ...texts };
  const place = { chainId: 31_337, registry: `0x${"56".repeat(20)}` };
  const blockchainHash = computeContentHash(content);
  const asset = {
    ...content,
    ...place,
    id: computeAssetId({ ...content, ...place }),
    blockchainHash,
    documentDbHash: blockchainHash.slice(2),
  } as PublicAsset;
  const agrees = { id: "agrees", blockchainHash: "agrees", documentDbHash: "agrees" };
  const differs = { id: "differs", blockchainHash: "differs", documentDbHash: "differs" };

  it("agrees where every text is that of the id", () => {
    expect(checkContent(asset)).to.deep.equal(agrees);
  });

  it("differs where a text, the author or the salt was changed", () => {
    for (const change of [
      { name: "Lease" },
      { data: "e\u0301\0" },
      { salt: content.author.padEnd(66, "0") },
    ]) {
      expect(checkContent({ ...asset, ...change } as PublicAsset)).to.deep.equal(differs);
    }
  });

  it("differs in the id alone for another chain or registry, and in one hash where only that was changed", () => {
    expect(checkContent({ ...asset, chainId: 1 })).to.deep.equal({ ...agrees, id: "differs" });
    const other = `0x${"00".repeat(32)}` as const;
    expect(checkContent({ ...asset, blockchainHash: other })).to.deep.equal({
      ...agrees,
      blockchainHash: "differs",
    });
    expect(checkContent({ ...asset, documentDbHash: other.slice(2) })).to.deep.equal({
      ...agrees,
      documentDbHash: "differs",
    });
  });

  it("cannot be made where a text is cut or has bytes that are no text, and never says changed then", () => {
    const cannot = { id: "cannot", blockchainHash: "cannot", documentDbHash: "cannot" };
    expect(checkContent({ ...asset, truncated: ["data"], data: "" })).to.deep.equal(cannot);
    expect(checkContent({ ...asset, inexact: ["name"], name: "\ufffd" })).to.deep.equal(cannot);
    const changed = { ...asset, inexact: ["name" as const], documentDbHash: "00".repeat(32) };
    expect(checkContent(changed)).to.deep.equal({ ...cannot, documentDbHash: "differs" });
  });
});
