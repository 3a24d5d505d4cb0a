import { createHash } from "node:crypto";
import { expect } from "chai";
import { keccak256 as ethersKeccak256 } from "ethers";
import fc from "fast-check";
import { type ByteSource, hashFile } from "../../../proof/src/file-hash/hash-file.ts";
import { bytesOf, type HashMethod, hashMethods } from "../../../proof/src/file-hash/method-names.ts";

/** OpenSSL's names of methods, as a second opinion on each digest. */
const inOpenssl = [
  ...(["md5", "sha1", "ripemd160", "sha224", "sha256", "sha384", "sha512", "sha512-224"] as const),
  ...(["sha512-256", "sha3-224", "sha3-256", "sha3-384", "sha3-512", "blake2b512", "blake2s256"] as const),
] satisfies HashMethod[];

/** Digests of "abc" from the publications of the methods and their reference programs. */
const ofAbc: Partial<Record<HashMethod, string>> = {
  blake3: "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85",
  blake2b256: "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319",
  blake2b384:
    "6f56a82c8e7ef526dfe182eb5212f7db9df1317e57815dbda46083fc30f54ee6c66ba83be64b302d7cba6ce15bb556f4",
  keccak256: "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
  keccak512:
    "18587dc2ea106b9a1563e32b3312421ca164c7f1f07bc922a9c83d77cea3a1e5d0c69910739025372dc14ac9642629379540c17e2a65b19d77aa511a9d00bb96",
};

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const digestOf = async (method: HashMethod, source: ByteSource) =>
  (await hashFile(source, [method])).digests.get(method);

describe("the hash of a file", () => {
  it("equals OpenSSL's for any bytes in pieces of any size, by all methods in one pass", async () => {
    const files = fc.record({
      bytes: fc.uint8Array({ maxLength: 3_000 }),
      size: fc.integer({ min: 1, max: 300 }),
    });
    await fc.assert(
      fc.asyncProperty(files, async ({ bytes, size }) => {
        const hashed = await hashFile(pieces(bytes, size), inOpenssl);
        expect(hashed.size).to.equal(bytes.length);
        for (const method of inOpenssl) {
          const expected = createHash(method).update(bytes).digest("hex");
          expect(hashed.digests.get(method), method).to.equal(expected);
        }
        expect(`0x${await digestOf("keccak256", pieces(bytes, size))}`).to.equal(ethersKeccak256(bytes));
      }),
      { numRuns: 50 },
    );
  });

  for (const [method, expected] of Object.entries(ofAbc) as [HashMethod, string][]) {
    it(`by ${method} equals the published digest of "abc"`, async () => {
      expect(await digestOf(method, Buffer.from("abc"))).to.equal(expected);
    });
  }

  for (const method of hashMethods) {
    it(`by ${method} has the length of its method, and is another one for an empty file`, async () => {
      const [abc, empty] = [
        await digestOf(method, Buffer.from("abc")),
        await digestOf(method, new Uint8Array()),
      ];
      expect(abc).to.match(/^[0-9a-f]+$/);
      expect(abc).to.have.length(2 * bytesOf(method));
      expect(empty).to.have.length(2 * bytesOf(method));
      expect(empty).to.not.equal(abc);
    });
  }

  it("is the same whatever the bytes come from", async () => {
    const bytes = Buffer.from("line one\nline two\n");
    const expected = "e9024f1a07d29d52ad3aa5e1a18e94db1f3a9fd32b89e39d47c472cd99071e13";
    const sources: ByteSource[] = [bytes, new Blob([bytes]), new Blob([bytes]).stream(), pieces(bytes, 5)];
    for (const source of sources) expect(await digestOf("sha256", source)).to.equal(expected);
  });

  it("is that of a large blob, with one piece of it in memory, and by plain streams where there are no others", async () => {
    const blob = new Blob(Array.from({ length: 50 }, (_, at) => Buffer.alloc(100_001, at)));
    const expected = createHash("sha256")
      .update(Buffer.from(await blob.arrayBuffer()))
      .digest("hex");
    const hashed = await hashFile(blob, ["sha256"]);
    expect([hashed.size, hashed.digests.get("sha256")]).to.deep.equal([5_000_050, expected]);
    const plain = new Blob([blob]);
    plain.stream = () => {
      const stream = blob.stream();
      const getReader = stream.getReader.bind(stream);
      return Object.assign(stream, {
        getReader: (options?: object) => {
          if (options !== undefined) throw new TypeError("There is no such reader.");
          return getReader();
        },
      });
    };
    expect(await digestOf("sha256", plain)).to.equal(expected);
  });

  it("is that of the bytes: other line ends and a byte order mark make another one", async () => {
    for (const [text, expected] of [
      ["line one\r\nline two\r\n", "6612d9c94c2da8d2544e1188348fc7baf717ffff1bacde51929a166404a41ffc"],
      ["\ufeffline one\nline two\n", "b5a9d9adf7a89dc74ecddb1d067850c75d5afce8c457aad70c3b60c31d00def6"],
    ] as const) {
      expect(await digestOf("sha256", new Blob([text]))).to.equal(expected);
    }
  });

  it("is not made of texts, whose bytes nobody knows", async () => {
    async function* texts() {
      yield "line one";
    }
    const refused = await hashFile(texts() as never, ["sha256"]).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(TypeError);
    expect((refused as Error).message).to.contain("bytes");
  });

  it("tells how far it is, and ends when it is asked to, with its source", async () => {
    const bytes = new Uint8Array(1_000);
    const seen: number[] = [];
    const ending = new AbortController();
    let isCancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(bytes),
      cancel: () => {
        isCancelled = true;
      },
    });
    const hashing = hashFile(stream, ["sha256"], {
      signal: ending.signal,
      onProgress(size) {
        seen.push(size);
        if (size === 3_000) ending.abort(new Error("enough"));
      },
    });
    const error = await hashing.catch((thrown: unknown) => thrown);
    expect(error).to.have.property("message", "enough");
    expect(seen).to.deep.equal([1_000, 2_000, 3_000]);
    expect(isCancelled).to.equal(true);
  });

  it("can be given up by what happens meanwhile, though the source always has bytes", async () => {
    const ending = new AbortController();
    async function* endless() {
      for (;;) yield new Uint8Array(100_000);
    }
    setTimeout(() => ending.abort(new Error("given up")));
    const error = await hashFile(endless(), ["md5"], { signal: ending.signal }).catch((thrown) => thrown);
    expect(error).to.have.property("message", "given up");
  });

  it("is not made of a source that fails: its error is thrown", async () => {
    async function* failing() {
      yield new Uint8Array(10);
      throw new Error("the disk is gone");
    }
    const error = await hashFile(failing(), ["sha256"]).catch((thrown: unknown) => thrown);
    expect(error).to.have.property("message", "the disk is gone");
  });

  it("may be made by hashers of the caller's own", async () => {
    const own = await hashFile(Buffer.from("abc"), ["sha256"], {
      createHasher: (method) => {
        const hash = createHash(method);
        return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest("hex") };
      },
    });
    expect(own.digests.get("sha256")).to.match(/^ba7816bf/);
  });
});
