import { expect } from "chai";
import { openPool, type Pool } from "../../../db/core/pool.ts";
import { inboxOfTenant, inboxOfUser } from "../../../db/service/inbox.ts";
import { owner } from "../../support/chain/accounts.ts";
import { useDatabase } from "../rows.ts";

describe("the inbox among many requests", () => {
  const store = useDatabase();
  const user = { issuer: "https://issuer.example", subject: "alice" };
  const page = { signer: undefined, state: undefined, after: undefined, skip: 0, size: 5 } as const;

  /** 20,000 requests, of which one in a thousand waits; half of them by the tenant, half for the owner. */
  beforeEach(async () => {
    await store.pool.query(
      `insert into service.requests (id, tenant, kind, author, asset_id, chain_id, registry, calldata, expires_at,
         created_at, noted_state, link_nonce)
       select gen_random_uuid(), case when n % 2 = 0 then 'mine' else 'other' end, 'link',
         case when n % 4 < 2 then decode($1, 'hex') else decode(lpad(to_hex(n), 40, '0'), 'hex') end,
         sha256(n::text::bytea), 1, decode($1, 'hex'), '\\x01', now() + interval '1 day',
         now() - n * interval '1 second', case when n % 1000 < 2 then 'Received' else 'Confirmed' end,
         sha256(n::text::bytea)
       from generate_series(1, 20000) n`,
      [owner.address.slice(2)],
    );
    await store.pool.query(
      `insert into service.wallets (id, issuer, subject, name, description, address)
       values (gen_random_uuid(), $1, $2, '', '', decode($3, 'hex'))`,
      [user.issuer, user.subject, owner.address.slice(2)],
    );
    await store.pool.query("analyze service.requests");
  });

  /** How many rows of the table, or entries of its indexes that led to one, were read. */
  async function rowsRead(work: (db: Pool) => Promise<unknown>): Promise<number> {
    // One connection: each counts for itself and reports when told to.
    const pool = openPool(store.url, { application: "test", max: 1 });
    const count = async () => {
      await pool.query("select pg_stat_force_next_flush()");
      const { rows } = await pool.query<{ n: number }>(
        `select seq_tup_read + coalesce(idx_tup_fetch, 0) as n from pg_stat_user_tables
         where schemaname = 'service' and relname = 'requests'`,
      );
      return rows[0]?.n ?? 0;
    };
    try {
      const before = await count();
      await work(pool);
      return (await count()) - before;
    } finally {
      await pool.end();
    }
  }

  for (const [who, ask] of [
    ["tenant", (db: Pool) => inboxOfTenant(db, "mine", page)],
    ["tenant and state", (db: Pool) => inboxOfTenant(db, "mine", { ...page, state: "Received" })],
    [
      "tenant, signer and state",
      (db: Pool) => inboxOfTenant(db, "mine", { ...page, signer: owner.address, state: "Received" }),
    ],
    ["user", (db: Pool) => inboxOfUser(db, user, page)],
    ["user and state", (db: Pool) => inboxOfUser(db, user, { ...page, state: "Received" })],
  ] as const) {
    it(`reads by ${who} about as many rows as it answers`, async () => {
      expect((await ask(store.pool)).entries).to.have.length(5);
      expect(await rowsRead(ask)).to.be.within(5, 200);
    });
  }
});
