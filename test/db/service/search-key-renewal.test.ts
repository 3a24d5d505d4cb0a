import { createHash, randomBytes } from "node:crypto";
import { expect } from "chai";
import { inTransaction } from "../../../db/core/pool.ts";
import { searchKeys, searchKeysVersion } from "../../../db/core/search-keys.ts";
import { renewSearchKeys } from "../../../db/service/search-key-renewal.ts";
import { owner } from "../../support/accounts.ts";
import { startApi, type TestApi } from "../../support/api.ts";
import { chainFacts } from "../../support/chain-facts.ts";

describe("search keys of rows from before an upgrade", () => {
  let api: TestApi;
  let facts: ReturnType<typeof chainFacts>;

  before(async () => {
    api = await startApi();
    facts = chainFacts(api.pool, api.registry);
  });
  after(() => api.stop());
  beforeEach(() =>
    api.pool.query(
      "truncate chain.assets, chain.links, service.requests, service.search_key_renewals cascade",
    ),
  );

  const name = "Stra\u00adßenvertrag";
  const file = {
    method: "BLAKE3",
    hash: "0x6437B3AC38465133FFB63B75273A8DB548C558465D79DB03FD359C6CD5BD9D85",
  };
  const query = `/assets/?${new URLSearchParams({ name: "STRASSENVERTRAG", method: "blake3", hash: file.hash.slice(2) })}`;

  /** Gives rows the keys that an earlier version made. */
  const age = (table: string) =>
    api.pool.query(`update ${table} set name_key = 'stra ßenvertrag', file_digest = $1`, [randomBytes(12)]);
  const renew = (table: "chain.assets" | "service.requests") =>
    inTransaction(api.pool, (tx) => renewSearchKeys(tx, table));
  const found = async () => (await api.get(query)).value.map(({ id }: { id: string }) => id);

  it("are made anew, on the chain and on its way, and once only", async () => {
    const onChain = await facts.asset({ name, ...file });
    const asked = (await api.post("/assets/", { name, author: owner.address, ...file })).value.id;
    await age("chain.assets");
    await age("service.requests");
    expect(await found()).to.deep.equal([]);

    expect(await renew("chain.assets")).to.deep.equal({ changed: 1, done: true });
    expect(await renew("service.requests")).to.deep.equal({ changed: 1, done: true });
    expect(await found()).to.deep.equal([asked, onChain]);
    expect(await renew("chain.assets")).to.deep.equal({ changed: 0, done: true });

    await age("chain.assets");
    expect(await renew("chain.assets"), "a table that is done is not read again").to.deep.equal({
      changed: 0,
      done: true,
    });
    await api.pool.query("update service.search_key_renewals set version = version - 1");
    expect(await renew("chain.assets"), "another version begins anew").to.deep.equal({
      changed: 1,
      done: true,
    });
  });

  it("are made in batches, which go on where the last one ended", async () => {
    const rows = 2_500;
    await facts.asset({ name: "Straßenvertrag" });
    const { rows: columns } = await api.pool.query<{ name: string }>(
      `select attname as name from pg_attribute
       where attrelid = 'chain.assets'::regclass and attnum > 0 and not attisdropped
         and attname not in ('id', 'log_index', 'name_key')`,
    );
    const others = columns.map(({ name }) => name).join(", ");
    await api.pool.query(
      `insert into chain.assets (id, log_index, name_key, ${others})
       select sha256(n::text::bytea), n + 1000, 'old', ${others} from chain.assets, generate_series(1, ${rows - 1}) n`,
    );
    await api.pool.query("update chain.assets set name_key = 'old'");
    const batches = [await renew("chain.assets"), await renew("chain.assets"), await renew("chain.assets")];
    expect(batches).to.deep.equal([
      { changed: 1_000, done: false },
      { changed: 1_000, done: false },
      { changed: 500, done: true },
    ]);
    const { rows: keys } = await api.pool.query("select distinct name_key from chain.assets");
    expect(keys).to.deep.equal([{ name_key: "strassenvertrag" }]);
  });

  it("have the version of their form: whoever changes one raises the other", () => {
    const hash = "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD";
    const samples = [
      { name: "Lease-Agreement, 2026", method: "SHA2-256", hash },
      { name, ...file },
      { name: "İstanbul ΟΔΥΣΣΕΥΣ ﬁne", method: "", hash: `sha256:${hash}` },
      { name: "\u0645\u0640\u062d", method: "My Method", hash: " as text " },
      { name: "e\u0301\u200b-é", method: "BLAKE2b", hash: `1220${hash}` },
      { name: "", method: "multihash", hash: "QmatYkNGZnELf8cAGdyJpUca2PyY4szai3RHyyWofNY1pY" },
    ];
    const keys = samples.map((sample) => {
      const { nameKey, fileDigest } = searchKeys(sample);
      return `${nameKey} ${fileDigest?.toString("hex")}`;
    });
    const pinned = createHash("sha256").update(keys.join("\n")).digest("hex").slice(0, 16);
    expect({ version: searchKeysVersion, pinned }).to.deep.equal({ version: 2, pinned: "c89830f09c97b0cf" });
  });
});
