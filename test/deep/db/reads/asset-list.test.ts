import { createHash } from "node:crypto";
import { expect } from "chai";
import { openPool, type Pool } from "../../../../db/core/pool.ts";
import type { AssetFilter } from "../../../../db/reads/asset-list/filter.ts";
import type { ListQuestion } from "../../../../db/reads/asset-list/question.ts";
import { readAssetList } from "../../../../db/reads/asset-list/read.ts";
import { assetsThatFit } from "../../../../db/reads/assets.ts";
import { type LinkPlace, readLinks } from "../../../../db/reads/links.ts";
import type { AssetId } from "../../../../domain/asset/asset.ts";
import { explaining, type Plan, pagesRead, tablesReadWhole } from "../../../db/plans.ts";
import { createDatabase, type TestDatabase } from "../../../support/database/postgres.ts";

const assets = 1_000_000;
/** Pages of 8 KiB; a scan looks at some thousand rows at most, each in a page of its own and its index. */
const mostPages = 25_000;

describe("the list of a million assets", () => {
  let database: TestDatabase;
  let pool: Pool;

  before(async () => {
    database = await createDatabase();
    pool = openPool(database.url, { application: "test", patient: true });
    const client = await pool.connect();
    try {
      // Indexes are built at the end, and keys of other tables left unchecked: a tenth of the time.
      await client.query("set session_replication_role = replica; set synchronous_commit = off");
      const { rows } = await client.query<{ indexdef: string; name: string }>(
        `select indexdef, format('%I.%I', schemaname, indexname) as name from pg_indexes
         where schemaname = 'chain' and tablename = 'assets' and indexname <> 'assets_pkey'`,
      );
      for (const { name } of rows) await client.query(`drop index ${name}`);
      await client.query(
        `insert into chain.blocks select n, sha256(('b' || n)::bytea), '\\x${"00".repeat(32)}', n * 12
         from generate_series(0, 9999) n`,
      );
      // The author of half of all owns the older half; one name, one word and one hash are rare.
      await client.query(
        `insert into chain.assets (id, author, salt, content_hash, name, data, file_name, file_type, file_size,
           method, hash, uri, block_number, transaction_index, log_index, transaction_hash, name_key, file_digest)
         select sha256(n::text::bytea),
           decode(lpad(case when n < ${assets / 2} then '1' else to_hex(n % 1000 + 16) end, 40, '0'), 'hex'),
           '\\x${"00".repeat(32)}', '\\x${"00".repeat(32)}', 'x', '', '', '', '', '', '', '', n / 100, 0, n % 100,
           '\\x${"00".repeat(32)}', case n when 777 then 'rare thing' else 'lease common n' || n end,
           case when n % 2 = 0 then substr(sha256((n % 10000)::text::bytea), 1, 12) end
         from generate_series(0, ${assets - 1}) n`,
      );
      await client.query(
        `insert into chain.links (parent, child, nth, block_number, transaction_index, log_index, transaction_hash)
         select sha256(n::text::bytea), sha256('5'), 1, 9999, 0, n, '\\x${"00".repeat(32)}'
         from generate_series(6, 100005) n`,
      );
      for (const { indexdef } of rows) await client.query(indexdef);
      await client.query("analyze chain.assets; analyze chain.links; analyze chain.blocks");
    } finally {
      client.release(true);
    }
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  const none: AssetFilter = {
    author: undefined,
    file: undefined,
    nameStart: undefined,
    words: undefined,
    linkedTo: undefined,
    linkedFrom: undefined,
  };
  const authorOf = (digits: string) => `0x${digits.padStart(40, "0")}` as const;
  const fileOfZero = createHash("sha256").update("0").digest().subarray(0, 12);
  const half = authorOf("1");
  const hub = `0x${"ef2d127de37b942baad06145e54b0c619a1f22327b2ebbcfbec78f5564afe39d"}` as const;

  const newest: Omit<ListQuestion, "filter"> = {
    tenant: "acme",
    state: undefined,
    createdFrom: undefined,
    createdTo: undefined,
    requests: { below: undefined, upTo: undefined },
    chain: { below: [Number.MAX_SAFE_INTEGER, 0] },
    ...{ limit: 51, skip: 0, wanted: 50 },
  };
  /** The position is a table of one row, and there are no requests. */
  const empty = new Set<string | undefined>(["cursor", "requests"]);
  /** The time of a block. */
  const at = (block: number) => new Date(block * 12_000);
  const cases: [string, Partial<AssetFilter>, number, Partial<ListQuestion>?][] = [
    ["no filter", {}, 51],
    ["a time long ago", {}, 51, { createdFrom: at(10), createdTo: at(50) }],
    ["the author of half", { author: half }, 51],
    ["a common author", { author: authorOf("20") }, 51],
    ["an author of nothing", { author: authorOf("ffff") }, 0],
    ["a rare name", { nameStart: "rare" }, 1],
    ["a common name", { nameStart: "lease" }, 51],
    ["a name of nothing", { nameStart: "zzz" }, 0],
    ["a rare word", { words: ["thing"] }, 1],
    ["a common word", { words: ["common"] }, 51],
    ["a common and a rare word", { words: ["common", "n5"] }, 1],
    ["a word of nothing", { words: ["nothing"] }, 0],
    ["a common name of the author of half", { nameStart: "lease", author: half }, 51],
    ["a common word of an author of nothing", { words: ["common"], author: authorOf("ffff") }, 0],
    ["a hash", { file: fileOfZero }, 51],
    ["a hash of nothing", { file: Buffer.alloc(12) }, 0],
    ["a hash of the author of half", { file: fileOfZero, author: half }, 50],
    ["no filter, by everybody", {}, 51, { requests: undefined }],
    ["the author of half, by everybody", { author: half }, 51, { requests: undefined }],
    ["a common word, by everybody", { words: ["common"] }, 51, { requests: undefined }],
    [
      "a common word of the author of half, by everybody",
      { words: ["common"], author: half },
      51,
      { requests: undefined },
    ],
    ["many links, all of them from old assets", { linkedTo: hub, author: half }, 0, { requests: undefined }],
  ];
  for (const [what, filter, count, more] of cases) {
    it(`is read by an index, a bounded part of it, for ${what}`, async () => {
      const plans: Plan[] = [];
      const question = { ...newest, ...more, filter: { ...none, ...filter } };
      const read = await readAssetList(explaining(pool, plans), question);
      expect(read?.chain.rows).to.have.length(count);
      expect(read?.requests).to.deep.equal({ rows: [], stopped: undefined });
      expect(tablesReadWhole(plans).filter((table) => !empty.has(table))).to.deep.equal([]);
      for (const plan of plans) expect(pagesRead(plan)).to.be.below(mostPages);
    });
  }

  const pages: [string, "from" | "to", LinkPlace, number, boolean][] = [
    ["the first of its 100,000 incoming links", "from", [-1, -1], 50, true],
    ["some in the middle of its 100,000 incoming links", "from", [9_999, 50_000], 50, true],
    ["the last of its 100,000 incoming links", "from", [9_999, 100_000], 5, false],
    ["its outgoing links, of which there are none", "to", [-1, -1], 0, false],
  ];
  for (const [what, direction, after, count, goesOn] of pages) {
    it(`lets a page of an asset's links be read by an index, for ${what}`, async () => {
      const plans: Plan[] = [];
      const question = { id: hub, from: null, to: null, [direction]: after, skip: 0, size: 50 };
      const [read] = await readLinks(explaining(pool, plans), [question]);
      const part = read?.[direction];
      expect(part?.ids).to.have.length(count);
      expect(part?.end !== null).to.equal(goesOn);
      expect(plans).to.have.length(1);
      expect(tablesReadWhole(plans)).to.deep.equal([]);
      for (const plan of plans) expect(pagesRead(plan)).to.be.below(200);
    });
  }

  it("lets a page of assets be read with their links by indexes, the one with 100,000 incoming links too", async () => {
    const plans: Plan[] = [];
    const listed = await pool.query<{ id: string }>(
      "select '0x' || encode(id, 'hex') as id from chain.assets where block_number = 5000 limit 50",
    );
    const ids = [hub, ...listed.rows.map(({ id }) => id as AssetId)];
    const read = await assetsThatFit(explaining(pool, plans), ids);
    expect(read.readings).to.have.length(51);
    expect(tablesReadWhole(plans).filter((table) => !empty.has(table))).to.deep.equal([]);
    for (const plan of plans) expect(pagesRead(plan)).to.be.below(51 * 40);
  });
});
