import { expect } from "chai";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { expectError, fieldsOf, startApi, type TestApi } from "../../support/api.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";

type PublicLink = { id: AssetId; addedOn: string; revokedOn?: string; final: boolean };

describe("the public links of an asset", () => {
  let api: TestApi;
  let facts: ReturnType<typeof chainFacts>;
  let lease: AssetId;
  beforeEach(async () => {
    api = await startApi();
    facts = chainFacts(api.pool, api.registry);
    lease = await facts.asset();
  });
  afterEach(() => api.stop());

  const links = (query = "", id: string = lease) =>
    api.get(`/public/assets/${id}/links${query}`, { key: null });
  const timeOf = (block: number) => facts.timeOf(block).toISOString().replace("Z", "+00:00");

  /** @returns the block of the change */
  async function link(parent: AssetId, child: AssetId): Promise<number> {
    await facts.link(parent, child);
    return facts.head;
  }
  async function revoke(parent: AssetId, child: AssetId): Promise<number> {
    await facts.revoke(parent, child);
    return facts.head;
  }

  it("are none at first, and none of what is no asset", async () => {
    expect(await links()).to.deep.include({ status: 200, value: { from: [], to: [] } });
    expectError(await links("", `0x${"0".repeat(64)}`), 404, "ASSET_NOT_FOUND");
    expectError(await links("", "lease"), 404, "ASSET_NOT_FOUND");
  });

  it("are those that stand by their additions, then those that are revoked by their revocations", async () => {
    const [a, b, c] = [await facts.asset(), await facts.asset(), await facts.asset()];
    const added = { a: await link(lease, a), b: await link(lease, b), c: await link(lease, c) };
    const revoked = { c: await revoke(lease, c), a: await revoke(lease, a) };
    const again = await link(lease, a);
    await facts.emptyBlocks(3);
    expect((await links()).value).to.deep.equal({
      from: [],
      to: [
        { id: b, addedOn: timeOf(added.b), final: true },
        { id: a, addedOn: timeOf(again), final: false },
        { id: c, addedOn: timeOf(added.c), revokedOn: timeOf(revoked.c), final: true },
        { id: a, addedOn: timeOf(added.a), revokedOn: timeOf(revoked.a), final: true },
      ],
    });
    expect((await links("", a)).value).to.deep.equal({
      from: [
        { id: lease, addedOn: timeOf(again), final: false },
        { id: lease, addedOn: timeOf(added.a), revokedOn: timeOf(revoked.a), final: true },
      ],
      to: [],
    });
  });

  it("are read in pages of each direction, through both kinds, without a gap or a repetition", async () => {
    const others: AssetId[] = [];
    for (let count = 0; count < 9; count += 1) others.push(await facts.asset());
    for (const one of others) await link(lease, one);
    for (const one of others.slice(0, 5)) await link(one, lease);
    for (const one of others.slice(3, 8)) await revoke(lease, one);
    for (const one of others.slice(0, 2)) await revoke(one, lease);
    const whole = (await links()).value;
    expect(whole.to).to.have.length(9);
    expect(whole.from).to.have.length(5);
    for (const size of [1, 2, 3, 4, 8, 9]) {
      const read: { from: PublicLink[]; to: PublicLink[] } = { from: [], to: [] };
      for (let cursor = ""; cursor !== "end"; ) {
        const { value, meta } = await links(`?size=${size}${cursor}`);
        read.from.push(...value.from);
        read.to.push(...value.to);
        expect(meta?.size).to.equal(value.from.length + value.to.length);
        cursor = meta?.next === undefined ? "end" : `&cursor=${meta.next}`;
      }
      expect(read, `size ${size}`).to.deep.equal(whole);
    }
    const third = (await links("?size=2&page=3")).value;
    expect(third).to.deep.equal({ from: whole.from.slice(4, 6), to: whole.to.slice(4, 6) });
  });

  it("refuse a cursor of another asset's, or of the links that need a key", async () => {
    const other = await facts.asset();
    for (const child of [other, await facts.asset()]) await link(lease, child);
    const { next } = (await links("?size=1")).meta ?? {};
    expect(fieldsOf(await links(`?cursor=${next}`, other))).to.deep.equal(["cursor"]);
    const keyed = await api.get(`/assets/${lease}/links?cursor=${next}`);
    expect(fieldsOf(keyed)).to.deep.equal(["cursor"]);
    expect(fieldsOf(await links("?revoked=1"))).to.deep.equal(["revoked"]);
  });

  it("are all read, those behind the first thousand too", async () => {
    const { rows } = await api.pool.query<{ hash: Buffer }>("select hash from chain.blocks where number = 1");
    const parent = Buffer.from(lease.slice(2), "hex");
    await api.pool.query(
      `insert into chain.links (parent, child, nth, block_number, transaction_index, log_index, transaction_hash,
         revoked_block, revoked_transaction_index, revoked_log_index, revoked_transaction_hash)
       select $1, sha256(n::text::bytea), 1, 1, 0, n, $2, case when n % 2 = 0 then 1 end, 0, n, $2
       from generate_series(1, 2500) n`,
      [parent, rows[0]?.hash],
    );
    const seen = new Set<string>();
    let revoked = 0;
    for (let cursor = ""; cursor !== "end"; ) {
      const { value, meta } = await links(cursor);
      expect(value.to).to.have.length.within(1, 1_000);
      for (const { id, revokedOn } of value.to) {
        seen.add(id);
        if (revokedOn !== undefined) revoked += 1;
      }
      cursor = meta?.next === undefined ? "end" : `?size=200&cursor=${meta.next}`;
    }
    expect(seen.size).to.equal(2_500);
    expect(revoked).to.equal(1_250);
  });
});
