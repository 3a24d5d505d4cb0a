import { expect } from "chai";
import { readBlockHash, readNodeUrls } from "../../../../web/src/pages/verify/block/block-choice.ts";

describe("who vouches for a block", () => {
  it("is nodes by their URLs, one a line, each once", () => {
    const text = " https://a.example/key \r\n\nhttp://127.0.0.1:8545\nhttps://a.example/key\n";
    expect(readNodeUrls(text)).to.deep.equal({ urls: ["https://a.example/key", "http://127.0.0.1:8545"] });
    expect(readNodeUrls(" \n")).to.deep.equal({ urls: [] });
  });

  it("is one node where its URL is spelled in two ways", () => {
    expect(readNodeUrls("HTTPS://A.example:443\nhttps://a.example/\nhttps://a.example/./")).to.deep.equal({
      urls: ["https://a.example/./"],
    });
  });

  it("is every node that was named, or none: of too many no one is left out unsaid", () => {
    const named = (count: number) => Array.from({ length: count }, (_, at) => `https://${at}.example`);
    expect(readNodeUrls(named(10).join("\n"))).to.deep.equal({ urls: named(10) });
    expect(readNodeUrls(named(11).join("\n"))).to.deep.equal({ tooMany: 11 });
  });

  it("is no node where a line is no URL of http", () => {
    for (const wrong of ["a.example", "ftp://a.example", "javascript:alert(1)", "wss://a.example"]) {
      expect(readNodeUrls(`https://b.example\n${wrong}`)).to.deep.equal({ wrong });
    }
  });

  it("is a hash with 0x or without", () => {
    const digits = "ab".repeat(32);
    for (const text of [digits, `0x${digits}`, ` 0X${digits.toUpperCase()} `]) {
      expect(readBlockHash(text), text).to.equal(`0x${digits}`);
    }
    expect(readBlockHash("0x12")).to.equal(undefined);
  });
});
