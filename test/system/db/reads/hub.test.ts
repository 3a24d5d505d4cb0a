import { expect } from "chai";
import type { Pool } from "../../../../db/core/pool.ts";
import { readAssets } from "../../../../db/reads/assets.ts";
import { readLinkHistories } from "../../../../db/reads/link-history.ts";
import { readLinks } from "../../../../db/reads/links.ts";
import { limits } from "../../../../domain/limits.ts";
import { explaining, type Plan, pagesRead, tablesReadWhole } from "../../../db/plans.ts";
import { addAsset, assetIdFor, chainOf, position, timeOf, useDatabase } from "../../../db/rows.ts";

const links = 20_000;

/** What is read of an asset is a few places of an index, however many links it has: most assets have one or two. */
describe("an asset with many links", () => {
  const store = useDatabase();
  const hub = assetIdFor("hub");

  beforeEach(async () => {
    await store.write(async (tx) => {
      await chainOf(tx, 9);
      await addAsset(tx, "hub", position(1));
      const word = (text: string) => `sha256((${text})::text::bytea)`;
      const add = async (parent: string, child: string, from: number) =>
        tx.query(
          `insert into chain.links (parent, child, nth, block_number, transaction_index, log_index, transaction_hash)
           select ${parent}, ${child}, 1, 3, 0, n, ${word("n")} from generate_series($1::int, $2::int) n`,
          [from, from + links - 1],
        );
      const hubBytes = `'\\x${hub.slice(2)}'::bytea`;
      await add(hubBytes, word("n"), 0);
      await add(word("n"), hubBytes, links);
      await add(word("n"), word("n + 1"), 2 * links);
      await tx.query(
        `update chain.links set revoked_block = 5, revoked_transaction_index = 0, revoked_log_index = log_index,
           revoked_transaction_hash = transaction_hash
         where parent = ${hubBytes} and log_index >= $1`,
        [links / 2],
      );
    });
    await store.pool.query("vacuum analyze chain.links");
  });

  async function linksOf(pool: Pool, size: number) {
    const [read] = await readLinks(pool, [{ id: hub, from: [0, 0], to: [0, 0], skip: 0, size }]);
    return [read?.from, read?.to];
  }

  /** How many links a page of the history of both directions has, behind a place in the middle of it. */
  async function pastLinks(pool: Pool, isRevoked: 0 | 1): Promise<(number | undefined)[]> {
    const from = [0, 3, links + 5_000] as const;
    const to = isRevoked === 1 ? ([1, 5, 15_000] as const) : ([0, 3, 5_000] as const);
    const [read] = await readLinkHistories(pool, [{ id: hub, from, to, skip: 0, size: 50 }]);
    return [read?.from.links.length, read?.to.links.length, read?.to.end?.[0]];
  }

  const cases: [string, number, (pool: Pool) => Promise<unknown>, unknown][] = [
    [
      "all that its answer shows",
      1_600,
      async (pool) => {
        const [read] = await readAssets(pool, [hub]);
        return [read?.links.length, read?.chain.updatedOn];
      },
      [limits.links, timeOf(5)],
    ],
    [
      "a page of its links in both directions",
      1_600,
      async (pool) => (await linksOf(pool, 50)).map((part) => part?.ids.length),
      [50, 50],
    ],
    [
      "a page of the links that stand, among those that it ever had,",
      1_600,
      (pool) => pastLinks(pool, 0),
      [50, 50, 0],
    ],
    ["a page of its revoked links", 1_600, (pool) => pastLinks(pool, 1), [50, 50, 1]],
    [
      "that it has more links than one answer shows",
      1_600,
      async (pool) => (await linksOf(pool, limits.links)).map((part) => part?.end?.[0]),
      [3, 3],
    ],
  ];
  for (const [what, mostPages, read, answer] of cases) {
    it(`lets ${what} be read at once`, async () => {
      const plans: Plan[] = [];
      expect(await read(explaining(store.pool, plans))).to.deep.equal(answer);
      expect(plans).to.have.length(1);
      expect(tablesReadWhole(plans)).not.to.include("links");
      for (const plan of plans) expect(pagesRead(plan)).to.be.below(mostPages);
    });
  }
});
