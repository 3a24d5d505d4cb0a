import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";

const source = join(import.meta.dirname, "../../../scripts/bootstrap/settings-file.mjs");

describe("the file .env", () => {
  let folder: string;
  let readSettingsFile: (file: string) => Record<string, string>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "asset-registry-env-"));
    ({ readSettingsFile } = await import(source));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function read(content: string | Uint8Array): Promise<Record<string, string>> {
    await writeFile(join(folder, ".env"), content);
    return readSettingsFile(join(folder, ".env"));
  }
  async function problemOf(content: string | Uint8Array): Promise<string> {
    return await read(content).then(
      (settings) => expect.fail(`it was read: ${JSON.stringify(settings)}`),
      (error: Error) => error.message,
    );
  }

  const text = "FIRST=1\nSECOND=zwölf 山 🙂\n";
  const settings = { FIRST: "1", SECOND: "zwölf 山 🙂" };
  const little = Buffer.from(text, "utf16le");
  const big = Buffer.from(little).swap16();
  for (const [encoding, content] of [
    ["UTF-8", text],
    ["UTF-8 with a byte order mark", `\ufeff${text}`],
    ["UTF-16, as PowerShell writes it", Buffer.from(`\ufeff${text}`, "utf16le")],
    ["UTF-16 without a mark", little],
    ["UTF-16 in the other order", Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
    ["UTF-16 in the other order without a mark", big],
    ["lines of Windows", text.replaceAll("\n", "\r\n")],
    ["lines of an old Macintosh", text.replaceAll("\n", "\r")],
    ["no line break at its end", text.trimEnd()],
  ] as const) {
    it(`is read in ${encoding}, its first line too`, async () => {
      expect(await read(content)).to.deep.equal(settings);
    });
  }

  for (const [line, value] of [
    ["A=x", "x"],
    [" A = x ", "x"],
    ["export A=x", "x"],
    ["export\tA = x", "x"],
    ["A=", ""],
    ["A= # nothing", ""],
    ["A=a=b&c", "a=b&c"],
    ["A=x # why", "x"],
    ["A='x # y' # why", "x # y"],
    ['A="a\\nb"', "a\nb"],
    ["A='a\\nb'", "a\\nb"],
    ['A=`it\'s "so"`', `it's "so"`],
    ['A="a\n#b\nc"', "a\n#b\nc"],
    ["A=postgres://u:p@db/x?a=b", "postgres://u:p@db/x?a=b"],
    ['A="p#ss"', "p#ss"],
    ["#A=no\n\nA=x\n  # end", "x"],
    ["A=first\nA=x", "x"],
  ] as const) {
    it(`reads ${JSON.stringify(line)}`, async () => expect((await read(line))["A"]).to.equal(value));
  }

  for (const [content, words] of [
    ["GOOD=1\nBAD: secret", "line 2: this is not of the form NAME=value"],
    ["BAD", "line 1: this is not of the form"],
    ["=secret", "line 1: this is not of the form"],
    ["two words=secret", "line 1: this is not of the form"],
    ["# x\n\nBAD=sec#ret", "line 3: BAD has a # in it"],
    ["BAD='secret", "line 1: BAD has no quotation mark at its end"],
    ['BAD="sec"ret', "line 1: BAD goes on behind its quotation marks"],
    ["BAD=“secret”", "line 1: BAD begins with a typographic quotation mark"],
    ["BAD=sec\0ret", "is not a text in UTF-8 or UTF-16"],
    [Buffer.from("BAD=secret\xff", "latin1"), "is not a text in UTF-8 or UTF-16"],
    [Buffer.alloc(1024 * 1024 + 1, "#"), "is larger than 1 MiB"],
  ] as const) {
    it(`refuses ${JSON.stringify(String(content).slice(0, 25))} by name, and repeats no value`, async () => {
      const problem = await problemOf(content);
      expect(problem).to.contain(".env").and.contain(words).and.not.contain("sec");
    });
  }

  it("is nothing where it does not exist, and refused where it cannot be read", () => {
    expect(readSettingsFile(join(folder, "none"))).to.deep.equal({});
    expect(() => readSettingsFile(folder)).to.throw("cannot be read (EISDIR)");
  });
});
