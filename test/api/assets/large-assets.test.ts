import { expect } from "chai";
import { createClient } from "../../../client/src/client.ts";
import { readAssetPage } from "../../../db/reads/asset-list/mixed-page.ts";
import { assetsThatFit } from "../../../db/reads/assets.ts";
import { limits, registryTextBytes } from "../../../domain/limits.ts";
import { keys, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";

/** Bytes of an answer around its assets. */
const envelope = 1_000;

type Asset = {
  id: string;
  blockchainHash: string;
  documentDbHash: string;
  truncated?: string[];
  customDefinitionItems: { key: string; value: string }[];
};
type Page = { value: Asset[]; meta: { size: number; page?: number; next?: string } };

describe("assets with texts that are larger than the service takes", () => {
  let api: TestApi;
  let facts: ReturnType<typeof chainFacts>;

  before(async () => {
    api = await startApi();
    facts = chainFacts(api.pool, api.registry);
  });
  after(() => api.stop());
  beforeEach(() => api.pool.query("truncate chain.assets, chain.links, service.requests cascade"));

  /** A page, of which no answer may be larger than the published limit. */
  async function page(query: string): Promise<Page> {
    const response = await fetch(`${api.url}/assets/${query}`, {
      headers: { "x-api-key": keys["tenant-a"] },
    });
    const body = Buffer.from(await response.arrayBuffer());
    expect(response.status, body.toString("utf8", 0, 500)).to.equal(200);
    expect(body.length).to.be.at.most(limits.answerBytes + envelope);
    return JSON.parse(body.toString()) as Page;
  }

  /** All assets of a list, page after page. */
  async function all(query: string): Promise<{ assets: Asset[]; pages: number }> {
    const assets: Asset[] = [];
    let pages = 0;
    for (let next: string | undefined = ""; next !== undefined; pages += 1) {
      const { value, meta } = await page(next === "" ? query : `${query}&cursor=${next}`);
      expect(meta.size).to.equal(value.length).and.to.be.at.least(1);
      assets.push(...value);
      next = meta.next;
    }
    return { assets, pages };
  }

  it("are answered to a hundred at once where they are of middling length, whatever was read before", async () => {
    for (let made = 0; made < 200; made += 1) await facts.asset({ data: "x".repeat(450) });
    expect((await page("?size=200")).meta.size).to.equal(200);
    const sizes = Array.from({ length: 100 }, (_, nth) => (nth % 2 === 0 ? 200 : 1));
    const pages = await Promise.all(sizes.map((size) => page(`?size=${size}`)));
    expect(pages.map(({ meta }) => meta.size)).to.deep.equal(sizes);
  });

  const dataOf = ({ customDefinitionItems }: Asset) =>
    customDefinitionItems.find(({ key }) => key === "data")?.value;

  for (const [what, character, shown] of [
    ["zeros, which no text can hold", "\0", "\u2400"],
    ["broken UTF-8", "\xff", "\ufffd"],
    ["control characters, of which JSON makes six bytes each", "\u0001", "\u0001"],
    ["letters", "a", "a"],
  ] as const) {
    it(`are listed in pages of bounded size, cut and said to be, where they are ${what}`, async () => {
      const small = await facts.asset({ name: "Small" });
      const large: string[] = [];
      const data = Buffer.alloc(700_000, character, "latin1");
      for (let count = 0; count < 4; count += 1) large.unshift(await facts.asset({ data }));
      const { assets, pages } = await all("?size=50");
      expect(assets.map(({ id }) => id)).to.deep.equal([...large, small]);
      expect(pages).to.be.within(2, 5);
      for (const one of assets.slice(0, -1)) {
        expect(one.truncated).to.deep.equal(["data"]);
        expect(dataOf(one)).to.equal(shown.repeat(limits.text.data));
        expect(one.blockchainHash).to.equal(`0x${one.documentDbHash}`);
      }
      expect(assets.at(-1)).not.to.have.property("truncated");
    });
  }

  it("are cut in every text, and none that the service itself takes is", async () => {
    const longest = Object.fromEntries(
      Object.entries(limits.text).map(([field, most]) => [field, "📄".repeat(most)]),
    );
    const longer = Object.fromEntries(Object.entries(longest).map(([field, text]) => [field, `${text}x`]));
    await facts.asset(longest);
    await facts.asset(longer);
    const [second, first] = (await all("?size=2")).assets;
    expect(first).not.to.have.property("truncated");
    expect(second?.truncated).to.deep.equal(Object.keys(limits.text));
    expect(second?.customDefinitionItems).to.deep.equal(first?.customDefinitionItems);
  });

  it("are whole by themselves as far as the registry takes them, and cut behind that", async () => {
    const most = registryTextBytes.data;
    for (const [bytes, isCut] of [
      [most, false],
      [most + 1, true],
      [3_000_000, true],
    ] as const) {
      const { value } = await api.get(`/assets/${await facts.asset({ data: Buffer.alloc(bytes, 1) })}`);
      expect(dataOf(value)).to.have.lengthOf(most);
      expect("truncated" in value).to.equal(isCut);
      expect(value.blockchainHash).to.equal(`0x${value.documentDbHash}`);
    }
  });

  it("are read in parts where many ask for them by themselves at once", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 8; count += 1) {
      ids.push(await facts.asset({ data: Buffer.alloc(count % 2 === 0 ? 600_000 : 10, 97) }));
    }
    const unknown = `0x${"0".repeat(64)}`;
    const answers = await Promise.all([...ids, unknown, ...ids].map((id) => api.get(`/assets/${id}`)));
    expect(answers.map(({ status, value }) => (status === 200 ? value.id : status))).to.deep.equal([
      ...ids,
      404,
      ...ids,
    ]);
  });

  it("leave in the database what does not fit into the answer", async () => {
    const ids: `0x${string}`[] = [];
    for (const bytes of [700_000, 700_000, 10])
      ids.push(await facts.asset({ data: Buffer.alloc(bytes, 97) }));
    const read = async (some: typeof ids) => {
      const { readings, left } = await assetsThatFit(api.pool, some);
      return { read: readings.map(({ chain }) => chain.id), left };
    };
    const [a, b, c] = ids as [`0x${string}`, `0x${string}`, `0x${string}`];
    expect(await read([a, b, c])).to.deep.equal({ read: [a], left: [b, c] });
    expect(await read([c, a, b])).to.deep.equal({ read: [c, a], left: [b] });
    expect(await read([c, b])).to.deep.equal({ read: [c, b], left: [] });
  });

  it("do not move the entries that a page number counts", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      ids.unshift(await facts.asset({ data: Buffer.alloc(900_000, 97) }));
    }
    const first = await page("?size=3&page=1");
    expect(first.value.map(({ id }) => id)).to.deep.equal(ids.slice(0, 1));
    expect(first.meta).to.include({ size: 1, page: 1 }).and.to.have.property("next");
    expect((await page("?size=3&page=2")).value[0]?.id).to.equal(ids[3]);
    expect((await page(`?size=3&cursor=${first.meta.next}`)).value[0]?.id).to.equal(ids[1]);
  });

  it("are read to their end by the client", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      ids.unshift(await facts.asset({ data: Buffer.alloc(900_000, 97) }));
    }
    const client = createClient({ url: api.url, apiKey: keys["tenant-a"] });
    const read: string[] = [];
    for await (const { id } of client.assets({ author: owner.address })) read.push(id);
    expect(read).to.deep.equal(ids);
  });

  it("bound the pages of a tenant's own requests too, though none of their texts is cut", async () => {
    const ids: string[] = [];
    const requests: string[] = [];
    for (let count = 0; count < 14; count += 1) {
      const fields = { name: `Pending ${count}`, author: owner.address, data: "\u0001".repeat(40_000) };
      const { value } = await api.post("/assets/", fields);
      ids.unshift(value.id);
      requests.unshift(value.transactionId);
    }
    const readings = await readAssetPage(
      api.pool,
      requests.map((request) => ({ request })),
    );
    expect(readings.map((read) => read?.request?.id)).to.deep.equal(requests.slice(0, 12));
    await facts.create(requests[3] as string);
    const { assets, pages } = await all("?size=50");
    expect(assets.map(({ id }) => id)).to.deep.equal([...ids.filter((id) => id !== ids[3]), ids[3]]);
    expect(pages).to.equal(4);
    for (const one of assets) expect(one).not.to.have.property("truncated");
  });
});
