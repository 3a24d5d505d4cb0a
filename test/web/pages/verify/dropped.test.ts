import { expect } from "chai";
import { readDropped } from "../../../../web/src/pages/verify/dropped.ts";
import { withDropped } from "../../../../web/src/pages/verify/question.ts";

const proofText = JSON.stringify({ value: { format: "asset-registry-proof", version: 1 } });
const named = (name: string, ...parts: (string | Uint8Array<ArrayBuffer>)[]) => new File(parts, name);

describe("files that are dropped", () => {
  it("are a proof and a file in any order, told by what is in them", async () => {
    const [proof, file] = [named("a.pdf", proofText), named("proof.json", "{}")];
    for (const files of [
      [proof, file],
      [file, proof],
    ]) {
      const { document, ...dropped } = await readDropped(files);
      expect(dropped.file?.name).to.equal("proof.json");
      expect(document?.name).to.equal("a.pdf");
      expect(new TextDecoder().decode(document?.bytes)).to.equal(proofText);
    }
  });

  it("are a proof where it is cut off, too large, or begins with a mark and white space, too", async () => {
    for (const parts of [
      [proofText.slice(0, 45)],
      [proofText, " ".repeat(5_000_000)],
      [new Uint8Array([0xef, 0xbb, 0xbf]), `\r\n ${proofText}`],
    ]) {
      const { document } = await readDropped([named("p", ...parts)]);
      expect(document?.bytes.length).to.be.within(40, 4 * 1024 * 1024 + 1);
    }
  });

  it("are files to check where they only speak of proofs, or cannot be read", async () => {
    for (const text of [`The format is ${proofText}`, "", "[]", '{"format": "other"}']) {
      expect(await readDropped([named("a", text)]), text).to.not.have.property("document");
    }
    const gone = { name: "gone", slice: () => ({ arrayBuffer: () => Promise.reject(new Error("gone")) }) };
    expect(await readDropped([gone as unknown as File])).to.deep.equal({ file: gone });
  });
});

describe("a question", () => {
  const file = named("a", "a");
  const document = { name: "p", bytes: new Uint8Array() };
  const written = { assetId: `0x${"1".repeat(64)}`, digests: new Map() };

  it("keeps the file when its proof is dropped, and the proof when a file is", () => {
    expect(withDropped({ file }, { document }, false)).to.deep.equal({ file, document });
    expect(withDropped({ document }, { file }, false)).to.deep.equal({ file, document });
  });

  it("keeps an id until it turns out to be a hash, or a proof is dropped", () => {
    const either = { ...written, digests: new Map([["sha256", "1".repeat(64)]] as const) };
    expect(withDropped({ written }, { file }, false)).to.deep.equal({ file, written });
    expect(withDropped({ written }, { file }, true)).to.deep.equal({ file, written });
    expect(withDropped({ written: either }, { file }, false)).to.deep.equal({ file, written: either });
    expect(withDropped({ written: either }, { file }, true)).to.deep.equal({ file });
    expect(withDropped({ written }, { document }, false)).to.deep.equal({ document });
  });

  it("forgets a pasted hash when a file is dropped", () => {
    const hash = { assetId: undefined, digests: new Map([["md5", "1"]] as const) };
    expect(withDropped({ written: hash }, { file }, false)).to.deep.equal({ file });
  });
});
