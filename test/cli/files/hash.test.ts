import { createHash, randomBytes } from "node:crypto";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashMethods } from "asset-registry-proof";
import { expect } from "chai";
import { fastHasher } from "../../../cli/src/files/digest.ts";
import { hashPath } from "../../../cli/src/files/hash.ts";
import { readBounded } from "../../../cli/src/files/read-bounded.ts";
import { variantsOf } from "../../../cli/src/files/variants.ts";
import type { Io } from "../../../cli/src/io.ts";
import { createHasher } from "../../../proof/src/file-hash/hasher.ts";

const io = (stderr: Io["stderr"] = { write: () => {} }) =>
  ({ stderr, signal: new AbortController().signal }) as unknown as Io; // the rest is not used

describe("a file that is hashed", () => {
  let folder: string;
  const file = (name: string, bytes: string | Uint8Array) => {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "asset-registry-cli-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  it("is read to its last byte, whatever its size is to the pieces that are read", async () => {
    for (const size of [0, 1, 1_048_575, 1_048_576, 1_048_577, 2_097_152, 5_000_001]) {
      const bytes = randomBytes(size);
      const { digests, size: read } = await hashPath(file("bytes", bytes), ["sha256", "blake3"], io());
      const blake3 = await createHasher("blake3");
      blake3.update(bytes);
      expect(read).to.equal(size);
      expect(digests.get("sha256")).to.equal(createHash("sha256").update(bytes).digest("hex"));
      expect(digests.get("blake3")).to.equal(blake3.digest());
    }
  });

  it("has the same digest by OpenSSL as by the verifier's own hashers, by every method", async () => {
    const bytes = randomBytes(1_000);
    for (const method of hashMethods) {
      const [fast, own] = [await fastHasher(method), await createHasher(method)];
      for (const hasher of [fast, own]) hasher.update(bytes);
      expect(fast.digest(), method).to.equal(own.digest());
    }
  });

  it("that is written to meanwhile has no digest", async () => {
    const path = file("growing", randomBytes(3_000_000));
    const terminal = { isTTY: true, write: () => appendFileSync(path, "more") };
    const realNow = performance.now;
    let now = 0;
    // So that the progress is written at the first piece, and the file with it.
    performance.now = () => {
      now += 1_000;
      return now;
    };
    const error = await hashPath(path, ["sha256"], io(terminal)).catch((thrown: unknown) => thrown);
    performance.now = realNow;
    expect(error).to.include({ code: "file-changed", exitCode: 2 });
  });

  it("of the system, which says that it is empty, is read all the same", async () => {
    if (process.platform !== "linux") return;
    const { size } = await hashPath("/proc/version", ["sha256"], io());
    expect(size).to.be.above(10);
  });

  it("is not read whole where it is larger than what is looked for", async () => {
    const path = file("large", randomBytes(2_000_000));
    expect(await readBounded(path, 2_000_000, io())).to.have.length(2_000_000);
    const error = await readBounded(path, 1_999_999, io()).catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: "file-too-large" });
    const missing = await readBounded(join(folder, "none"), 10, io()).catch((thrown: unknown) => thrown);
    expect(missing).to.include({ code: "file-not-found" });
  });

  describe("and its other forms", () => {
    const digest = (text: string) => createHash("sha256").update(text).digest("hex");
    const [lf, crlf, mark] = ["one\ntwo\n", "one\r\ntwo\r\n", "\ufeff"];
    const words = async (text: string | Uint8Array) =>
      Object.fromEntries(
        (await variantsOf(file("text", text), "sha256")).map((one) => [one.digest, one.words]),
      );

    it("are the text with other line ends, with a byte order mark and without one", async () => {
      expect(await words(lf)).to.deep.equal({
        [digest(mark + lf)]: "the same line ends and a byte order mark",
        [digest(crlf)]: "CRLF line ends and no byte order mark",
        [digest(mark + crlf)]: "CRLF line ends and a byte order mark",
      });
      expect(Object.keys(await words(mark + crlf))).to.have.members([
        digest(crlf),
        digest(mark + lf),
        digest(lf),
      ]);
      expect(Object.keys(await words("one\r\ntwo\n"))).to.include.members([digest(lf), digest(crlf)]);
      expect(Object.keys(await words("no line end"))).to.have.members([digest(`${mark}no line end`)]);
    });

    it("are none of an empty or binary file, and of one that is gone", async () => {
      expect(await words("")).to.deep.equal({});
      expect(await words(Buffer.from([1, 0, 10]))).to.deep.equal({});
      expect(await variantsOf(join(folder, "gone"), "sha256")).to.deep.equal([]);
    });
  });
});
