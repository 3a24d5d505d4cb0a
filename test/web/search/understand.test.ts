import { expect } from "chai";
import { type Ask, understand } from "../../../web/src/search/understand.ts";

const digits = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const id = `0x${digits}`;
const author = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const uuid = "ddc3911c-090c-4831-a37d-48a6dab94ae5";

const asksOf = (text: string): Ask[] => {
  const understood = understand(text);
  return understood.kind === "search"
    ? understood.asks
    : expect.fail(`${text}: ${JSON.stringify(understood)}`);
};
const methodsOf = (asks: Ask[]) => asks.flatMap((ask) => (ask.by === "hash" ? [ask.method] : []));

describe("what is typed into the search box", () => {
  it("is nothing where there is no text", () => {
    for (const text of ["", "  ", "\n\t"]) expect(understand(text)).to.deep.equal({ kind: "nothing" });
  });

  it("is an id first, and a hash of each method of that length, where it has 64 hex digits", () => {
    for (const text of [id, digits, ` ${id.toUpperCase().replace("0X", "0x")}\n`, digits.toUpperCase()]) {
      const [first, ...others] = asksOf(text);
      expect(first, text).to.deep.equal({ by: "id", id });
      expect(methodsOf(others)).to.include.members(["sha256", "sha3-256", "keccak256", "blake3"]);
      expect(others).to.deep.include({ by: "hash", digits, method: "sha256" });
    }
  });

  it("is the name of a document that is named by its hash, too", () => {
    for (const text of [digits, "ab".repeat(16)]) {
      expect(asksOf(text).at(-1), text).to.deep.equal({ by: "name", text });
    }
    expect(asksOf(id).map(({ by }) => by)).not.to.include("name");
  });

  it("is a hash in any usual form, by the method that it names", () => {
    const base64 = Buffer.from(digits, "hex").toString("base64");
    for (const text of [
      `sha256:${digits}`,
      `sha256-${base64}`,
      `SHA256 (a.pdf) = ${digits}`,
      `1220${digits}`,
    ]) {
      expect(asksOf(text)[0], text).to.deep.equal({ by: "hash", digits, method: "sha256" });
    }
    const colons = digits.match(/../g)?.join(":") ?? "";
    for (const text of [`${digits}  a.pdf`, colons, base64]) {
      expect(asksOf(text), text).to.deep.include({ by: "hash", digits, method: "sha256" });
    }
    expect(methodsOf(asksOf(`SHA3-256: ${digits}`))).to.deep.equal(["sha3-256"]);
    expect(methodsOf(asksOf("ab".repeat(64)))).to.include.members(["sha512", "sha3-512", "blake2b512"]);
  });

  it("is an address in one case or with its checksum, and a mistyped one is told", () => {
    for (const text of [author, author.toLowerCase(), `0x${author.slice(2).toUpperCase()}`]) {
      expect(asksOf(text)).to.deep.equal([{ by: "author", author }]);
    }
    expect(understand(author.replace("f39F", "f39f"))).to.deep.equal({
      kind: "problem",
      problem: { code: "checksum" },
    });
    const bare = asksOf(author.slice(2).toLowerCase());
    expect(bare[0]).to.deep.equal({ by: "author", author });
    expect(methodsOf(bare)).to.include("sha1");
  });

  it("is the page of a transaction or an asset, from a link or an id of a transaction", () => {
    const pages: [string, string][] = [
      [uuid, `/sign/${uuid}`],
      [uuid.toUpperCase(), `/sign/${uuid}`],
      [`https://registry.example/console/sign/${uuid}`, `/sign/${uuid}`],
      [`http://127.0.0.1:3000/transactions/${uuid}/status`, `/sign/${uuid}`],
      [`https://registry.example/console/assets/${id}?x=1`, `/assets/${id}`],
      [`https://registry.example/public/assets/${id}/links`, `/assets/${id}`],
    ];
    for (const [text, path] of pages) expect(understand(text), text).to.deep.equal({ kind: "page", path });
  });

  it("is a name and words of one, whatever else it may be in part", () => {
    for (const text of ["Lease", "Mietvertrag Müller", "契約", "<img src=x>", "0xyz", "dead beef", "€"]) {
      expect(asksOf(text), text).to.deep.equal([
        { by: "name", text },
        { by: "words", text },
      ]);
    }
  });

  it("is told where it was shortened, cut, too long or without a word", () => {
    const problems: [string, object][] = [
      ["0x604d06ad…0b9a8d", { code: "shortened" }],
      ["0x604d...9e8d", { code: "shortened" }],
      [id.slice(0, -1), { code: "digits", digits: 63 }],
      ["0x12", { code: "digits", digits: 2 }],
      [digits.slice(3), { code: "digits", digits: 61 }],
      ["…!", { code: "no-words" }],
      ["a ".repeat(200), { code: "too-long" }],
      ["a".repeat(3_000), { code: "too-long" }],
    ];
    for (const [text, problem] of problems) {
      expect(understand(text), text).to.deep.equal({ kind: "problem", problem });
    }
  });

  it("is read in no time, however long it is", () => {
    const begun = performance.now();
    for (const part of ["0", "https://a/", "/sign/", "-", ":", "sha256:", " ", "=", "{"]) {
      understand(part.repeat(200_000 / part.length));
      understand(part.repeat(Math.floor(1_999 / part.length)));
    }
    expect(performance.now() - begun).to.be.below(500);
  });
});
