import { expect } from "chai";
import { expectError, fieldsOf, keys, startApi, type TestApi } from "../../support/api.ts";
import { other, owner } from "../../support/chain/accounts.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";

const encoded = (values: Record<string, string | number>) =>
  `/assets/?${new URLSearchParams(Object.entries(values).map(([key, value]): [string, string] => [key, String(value)]))}`;

describe("GET /assets/", () => {
  let api: TestApi;
  let facts: ReturnType<typeof chainFacts>;

  before(async () => {
    api = await startApi();
    facts = chainFacts(api.pool, api.registry);
  });
  after(() => api.stop());
  beforeEach(() => api.pool.query("truncate chain.assets, chain.links, service.requests cascade"));

  const list = async (values: Record<string, string | number> = {}, key?: string) => {
    const answer = await api.get(encoded(values), key === undefined ? {} : { key });
    expect(answer.status, answer.error?.message).to.equal(200);
    return answer;
  };
  const ids = async (values: Record<string, string | number> = {}, key?: string): Promise<string[]> =>
    (await list(values, key)).value.map(({ id }: { id: string }) => id);
  const ask = async (fields: object = {}, key?: string) =>
    (
      await api.post(
        "/assets/",
        { name: "Pending", author: owner.address, ...fields },
        key === undefined ? {} : { key },
      )
    ).value as { id: string; transactionId: string };

  it("gives each asset as it is by itself, newest first, requests before assets of the chain", async () => {
    const [a, b] = [await facts.asset(), await facts.asset({ data: "x" })];
    await facts.link(a, b);
    const [c, d] = [await ask(), await ask()];
    const { value, meta } = await list();
    expect(meta).to.deep.equal({ size: 4, page: 1 });
    expect(value.map(({ id }: { id: string }) => id)).to.deep.equal([d.id, c.id, b, a]);
    for (const one of value) expect((await api.get(`/assets/${one.id}`)).value).to.deep.equal(one);
  });

  it("shows what is on its way to its tenant alone, and what is on the chain to all", async () => {
    const mine = await ask();
    const theirs = await ask({}, keys["tenant-b"]);
    expect(await ids()).to.deep.equal([mine.id]);
    expect(await ids({}, keys["tenant-b"])).to.deep.equal([theirs.id]);
    await facts.create(mine.transactionId);
    expect(await ids()).to.deep.equal([mine.id]);
    expect(await ids({}, keys["tenant-b"])).to.deep.equal([theirs.id, mine.id]);
    const [, seen] = (await list({}, keys["tenant-b"])).value;
    expect(seen.transactionId).to.match(/^0x/);
    await facts.emptyBlocks(6);
    expect(await ids({}, keys["tenant-b"])).to.deep.equal([theirs.id, mine.id]);
  });

  it("filters by author, alone and beside another filter", async () => {
    const [a, b] = [await facts.asset({ name: "One" }), await facts.asset({ name: "One" }, other.address)];
    const c = await ask({ author: other.address, name: "One" });
    expect(await ids({ author: owner.address.toLowerCase() })).to.deep.equal([a]);
    expect(await ids({ author: other.address })).to.deep.equal([c.id, b]);
    expect(await ids({ author: other.address, name: "one", state: "Received" })).to.deep.equal([c.id]);
    expect(await ids({ author: other.address, name: "two" })).to.deep.equal([]);
  });

  it("filters by state", async () => {
    const old = await facts.asset();
    await facts.emptyBlocks(6);
    const fresh = await facts.asset();
    const received = await ask();
    const expired = await ask();
    await api.pool.query("update service.requests set expires_at = now() where id = $1", [
      expired.transactionId,
    ]);
    expect(await ids({ state: "Confirmed" })).to.deep.equal([old]);
    expect(await ids({ state: "Committed" })).to.deep.equal([fresh]);
    expect(await ids({ state: "Received" })).to.deep.equal([received.id]);
    expect(await ids({ state: "Submitted" })).to.deep.equal([]);
  });

  describe("by hash", () => {
    const hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const base64 = Buffer.from(hex, "hex").toString("base64");

    it("finds every spelling of method and hash by every other, on the chain and on its way", async () => {
      const spellings = [
        ["SHA-256", hex],
        ["SHA2-256", hex.toUpperCase()],
        ["sha256", `0x${hex}`],
        ["Sha_256", base64],
        ["sha2-256", `sha256-${base64}`],
      ] as const;
      const found: string[] = [];
      for (const [method, hash] of spellings) found.unshift(await facts.asset({ method, hash }));
      for (const [method, hash] of spellings) found.unshift((await ask({ method, hash })).id);
      await facts.asset({ method: "sha3-256", hash: hex });
      await facts.asset({ method: "sha256", hash: hex.replace("b", "c") });
      const expected = [...found.slice(0, 5), ...found.slice(5)];
      for (const [method, hash] of spellings) {
        expect(await ids({ method, hash }), `${method} ${hash}`).to.deep.equal(expected);
      }
      expect(await ids({ hash: hex })).to.deep.equal(expected);
    });

    it("refuses an empty method, beside which a mistyped hash would look like one of no known method", async () => {
      for (const [query, field] of [
        ["hash=not-a-hash", "hash"],
        ["hash=not-a-hash&method=", "method"],
        [`hash=${hex}&method=`, "method"],
      ] as const) {
        expect(fieldsOf(await api.get(`/assets/?${query}`)), query).to.deep.equal([field]);
      }
    });

    it("says when it stores a hash that no search will find", async () => {
      const store = (method: string) =>
        api.post("/assets/", { name: "Lease", author: owner.address, method, hash: "not-a-hash" });
      const [known, unknown] = [await store("sha256"), await store("my-own")];
      const messageOf = (answer: object) => JSON.stringify((answer as { meta?: object }).meta);
      expect(messageOf(known)).to.include("found by no search for a hash");
      expect(messageOf(unknown)).to.include("found only as this very text");
    });

    it("finds what others write for a digest, of methods that it cannot compute too", async () => {
      const hash256 = Buffer.from(hex, "hex");
      const pairs = hex.match(/../g)?.join(":") ?? "";
      const spellings = [
        ["SHA-256", pairs.toUpperCase()],
        ["SHA\u2011256", hex],
        ["sha256", `SHA256 (lease.pdf) = ${hex}`],
        ["SHA-256", `${hex}  lease.pdf`],
        ["", `sha256-${base64}?ct=application/pdf`],
        ["multihash", `1220${hex}`],
        ["ni", `ni:///sha-256;${hash256.toString("base64url")}`],
        ["Digest", `sha-256=:${base64}:`],
        ["", hex],
      ] as const;
      const found: string[] = [];
      for (const [method, hash] of spellings) found.unshift(await facts.asset({ method, hash }));
      for (const [method, hash] of spellings) found.unshift((await ask({ method, hash })).id);
      for (const [method, hash] of spellings) {
        const query = method === "" ? { hash } : { method, hash };
        expect(await ids(query), `${method} ${hash}`).to.deep.equal(found);
      }
      // As a browser's address bar sends Base64: a plus in it is a space.
      expect((await api.get(`/assets/?hash=${base64}`)).value).to.have.length(found.length);

      const other = await facts.asset({ method: "BLAKE3", hash: hex.toUpperCase() });
      for (const [method, hash] of [
        ["blake3", hex],
        ["BLAKE-3", `0x${hex}`],
        ["BLAKE\u20113", base64],
        ["blake3", `1e20${hex}`],
      ] as const) {
        expect(await ids({ method, hash }), hash).to.deep.equal([other]);
      }
    });

    it("says of a hash that it cannot be read, when it is stored and when it is searched", async () => {
      const warned = (answer: Awaited<ReturnType<typeof api.get>>) =>
        (answer.meta as { warnings?: { field: string }[] } | undefined)?.warnings?.map(({ field }) => field);
      const create = (method: string, hash: string) =>
        api.post("/assets/", { name: "Pending", author: owner.address, method, hash });
      for (const [method, hash] of [
        ["SHA-256", hex.slice(1)],
        ["SHA-256", `sha512:${hex}`],
        ["BLAKE3", "see annex"],
        ["", "see annex"],
      ] as const) {
        const answer = await create(method, hash);
        expect(answer.status).to.equal(202);
        expect(warned(answer), hash).to.deep.equal(["hash"]);
      }
      for (const [method, hash] of [
        ["SHA-256", hex],
        ["BLAKE3", hex],
        ["", `sha256:${hex}`],
        ["", ""],
      ] as const) {
        expect((await create(method, hash)).meta, hash).to.equal(undefined);
      }
      expect(warned(await list({ method: "my-own", hash: "see annex" }))).to.deep.equal(["hash"]);
      expect(warned(await list({ method: "BLAKE3", hash: hex }))).to.equal(undefined);
    });

    it("compares what it cannot read as text", async () => {
      const odd = await facts.asset({ method: "My Method", hash: "Abc" });
      expect(await ids({ method: "my-method", hash: " Abc " })).to.deep.equal([odd]);
      expect(await ids({ method: "my-method", hash: "abc" })).to.deep.equal([]);
    });

    it("refuses a hash that is none of its method, and a method alone", async () => {
      for (const [query, field] of [
        [{ hash: hex.slice(1) }, "hash"],
        [{ hash: hex, method: "sha512" }, "hash"],
        [{ hash: " " }, "hash"],
        [{ method: "sha256" }, "method"],
      ] as const) {
        const answer = await api.get(encoded(query));
        expectError(answer, 400, "INVALID_REQUEST");
        expect(fieldsOf(answer)).to.deep.equal([field]);
      }
    });
  });

  describe("by name", () => {
    it("finds beginnings and whole words, whatever case and punctuation", async () => {
      const a = await facts.asset({ name: "Lease-Agreement, 2026" });
      const b = (await ask({ name: "Lease agreements" })).id;
      expect(await ids({ name: "lease agree" })).to.deep.equal([b, a]);
      expect(await ids({ name: "agreement" })).to.deep.equal([]);
      expect(await ids({ words: "2026 LEASE" })).to.deep.equal([a]);
      expect(await ids({ words: "lease" })).to.deep.equal([b, a]);
      expect(await ids({ words: "leas" })).to.deep.equal([]);
      expect(await ids({ name: "LEASE", words: "agreements" })).to.deep.equal([b]);
    });

    it("finds words whatever invisible characters they have, and by their whole case folding", async () => {
      const hidden = await facts.asset({ name: "Miet\u00adver\u200btrag \u200eStra\u2060ßen\u0640bau" });
      const plain = (await ask({ name: "MIETVERTRAG STRASSENBAU" })).id;
      for (const name of ["Mietvertrag Straßenbau", "mietvertrag strassen", "MIET\u200dVERTRAG STRAẞENBAU"]) {
        expect(await ids({ name }), name).to.deep.equal([plain, hidden]);
      }
      expect(await ids({ words: "strassenbau" })).to.deep.equal([plain, hidden]);
    });

    it("finds both forms of Unicode by either", async () => {
      const [nfc, nfd] = ["Vertrag-M\u00fcller.pdf", "Vertrag-Mu\u0308ller.pdf"];
      const found = [await facts.asset({ name: nfc }), await facts.asset({ name: nfd })].reverse();
      for (const name of [nfc, nfd, nfc.toUpperCase()]) {
        expect(await ids({ name })).to.deep.equal(found);
        expect(await ids({ words: name })).to.deep.equal(found);
      }
    });

    it("meets odd text from the chain without harm", async () => {
      const utf8 = new TextEncoder();
      const odd = [
        await facts.asset({ name: Buffer.from("410042", "hex") }),
        await facts.asset({ name: Buffer.from("61ff", "hex") }),
        await facts.asset({ name: "x".repeat(100_000) }),
        await facts.asset({ name: utf8.encode(`${"y".repeat(255)}${"😀".repeat(50_000)}`) }),
        await facts.asset({ name: "%_\\ ' {a,b} NULL", method: "\0", hash: "\0\0" }),
        await facts.asset({ name: "\u202e\u200b!!!" }),
      ];
      expect(await ids()).to.deep.equal([...odd].reverse());
      expect(await ids({ name: "a\u2400b" })).to.deep.equal([odd[0]]);
      expect(await ids({ name: "x".repeat(256) })).to.deep.equal([odd[2]]);
      expect(await ids({ words: "null a" })).to.deep.equal([odd[4]]);
      expect(await ids({ name: "%" }).catch(() => "refused")).to.equal("refused");
    });
  });

  it("filters by time of creation: from the one time to before the other", async () => {
    const [a, b, c] = [await facts.asset(), await facts.asset(), await facts.asset()];
    const at = (block: number) => facts.timeOf(block).toISOString();
    const head = facts.head;
    expect(await ids({ createdFrom: at(head - 1) })).to.deep.equal([c, b]);
    expect(await ids({ createdTo: at(head) })).to.deep.equal([b, a]);
    expect(await ids({ createdFrom: at(head - 1), createdTo: at(head) })).to.deep.equal([b]);
    const pending = await ask();
    expect(await ids({ createdFrom: at(head) })).to.deep.equal([pending.id, c]);
    const { value } = await api.get(
      `/assets/?createdFrom=${at(head).replace("Z", "+00:00")}&state=Committed`,
    );
    expect(value).to.have.length(1);
    expect(await ids({ createdFrom: "2099-01-01T00:00:00Z" })).to.deep.equal([]);
  });

  it("filters by links that stand, in either direction", async () => {
    const [a, b, c] = [await facts.asset(), await facts.asset(), await facts.asset({}, other.address)];
    await facts.link(a, b);
    await facts.link(c, b);
    await facts.link(c, a);
    expect(await ids({ linkedTo: b })).to.deep.equal([c, a]);
    expect(await ids({ linkedFrom: c })).to.deep.equal([b, a]);
    expect(await ids({ linkedTo: b, author: owner.address })).to.deep.equal([a]);
    await facts.revoke(c, b);
    expect(await ids({ linkedTo: b })).to.deep.equal([a]);
  });

  describe("from page to page", () => {
    async function walkOn(
      query: Record<string, string | number>,
      between: (page: number) => Promise<void>,
    ): Promise<string[]> {
      const seen: string[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < 50; page += 1) {
        const { value, meta } = await list(cursor === undefined ? query : { ...query, cursor });
        seen.push(...value.map(({ id }: { id: string }) => id));
        cursor = meta?.next;
        if (cursor === undefined) return seen;
        await between(page);
      }
      throw new Error("the list has no end");
    }

    it("loses and repeats none while assets arrive and requests get onto the chain", async () => {
      const there: string[] = [];
      for (let count = 0; count < 5; count += 1) there.push(await facts.asset());
      const requests: { id: string; transactionId: string }[] = [];
      for (let count = 0; count < 8; count += 1) requests.push(await ask());
      there.push(...requests.map(({ id }) => id));
      const seen = await walkOn({ size: 2 }, async (page) => {
        await facts.asset({}, other.address);
        await ask();
        // One that was listed, and one that was not; with so many blocks behind them they are settled.
        for (const index of [7 - 2 * page, page]) {
          const request = requests[index];
          const found = request && (await api.get(`/assets/${request.id}/status`)).value;
          if (request && found.state === "Received") await facts.create(request.transactionId);
        }
        await facts.emptyBlocks(6);
      });
      expect(seen).to.deep.equal([...there].reverse());
    });

    it("has pages by number and by cursor that agree", async () => {
      for (let count = 0; count < 4; count += 1) await facts.asset();
      for (let count = 0; count < 3; count += 1) await ask();
      const all = await ids();
      const pages = [];
      for (const page of [1, 2, 3, 4]) pages.push(await list({ size: 2, page }));
      expect(pages.flatMap(({ value }) => value.map(({ id }: { id: string }) => id))).to.deep.equal(all);
      expect(pages.map(({ meta }) => [meta?.size, meta?.page, meta?.next !== undefined])).to.deep.equal([
        [2, 1, true],
        [2, 2, true],
        [2, 3, true],
        [1, 4, false],
      ]);
      expect(await walkOn({ size: 3 }, async () => {})).to.deep.equal(all);
      expect((await list({ page: 5, size: 2 })).value).to.deep.equal([]);
    });
  });

  it("refuses bad parameters by name", async () => {
    await facts.asset();
    await facts.asset();
    const cursor = (await list({ size: 1 })).meta?.next ?? "";
    for (const [query, field] of [
      ["author=0x12", "author"],
      [`author=${owner.address}&author=${owner.address}`, "author"],
      ["state=Done", "state"],
      ["state=Received&state=Received", "state"],
      ["name=", "name"],
      ["name=%00", "name"],
      ["words=!!", "words"],
      [`name=${"x".repeat(257)}`, "name"],
      ["createdFrom=yesterday", "createdFrom"],
      ["createdFrom=2026-01-01", "createdFrom"],
      ["createdFrom=2026-01-02T00:00:00Z&createdTo=2026-01-01T00:00:00Z", "createdTo"],
      ["linkedTo=0x12", "linkedTo"],
      ["linkedFrom=", "linkedFrom"],
      ["page=-1", "page"],
      ["size=1e3", "size"],
      [`page=${2n ** 70n}`, "page"],
      ["titel=x", "titel"],
      ["cursor=abc", "cursor"],
      [`cursor=${cursor}&cursor=${cursor}`, "cursor"],
      [`cursor=${cursor}&author=${owner.address}`, "cursor"],
      [`cursor=${cursor}&page=2`, "page"],
    ] as const) {
      const answer = await api.get(`/assets/?${query}`);
      expectError(answer, 400, "INVALID_REQUEST");
      expect(fieldsOf(answer), query).to.deep.equal([field]);
    }
    const foreign = await api.get(encoded({ size: 1, cursor }), { key: keys["tenant-b"] });
    expect(fieldsOf(foreign)).to.deep.equal(["cursor"]);
  });
});
