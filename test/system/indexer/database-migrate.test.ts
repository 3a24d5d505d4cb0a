import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import pg from "pg";
import { migrate, NewerSchemaError } from "../../../db/migrate.ts";
import { createEmptyDatabase, type TestDatabase } from "../../support/postgres.ts";

const folder = join(import.meta.dirname, "..", "..", "..", "db", "migrations");
const names = readdirSync(folder)
  .sort()
  .map((file) => file.replace(/\.(sql|ts)$/, ""));

describe("G8: five that migrate one database at once", () => {
  let database: TestDatabase;
  let client: pg.Client;

  beforeEach(async () => {
    database = await createEmptyDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  const five = () => Promise.all(Array.from({ length: 5 }, () => migrate(database.url)));
  const applied = async () =>
    (await client.query<{ name: string }>("select name from public.migrations order by id")).rows.map(
      ({ name }) => name,
    );

  it("run each migration once on an empty database, and none on the current one", async () => {
    expect((await five()).flat()).to.deep.equal(names);
    expect((await five()).flat()).to.deep.equal([]);
    expect(await applied()).to.deep.equal(names);
  });

  it("bring the first schema up to date, with 100,000 assets in it", async () => {
    const [first = ""] = names;
    // A database of the first version, as the runner left it.
    await client.query(readFileSync(join(folder, `${first}.sql`), "utf8"));
    await client.query(
      "create table public.migrations (id serial primary key, name varchar(255) not null, run_on timestamp not null)",
    );
    await client.query("insert into public.migrations (name, run_on) values ($1, now())", [first]);
    await client.query(`
      insert into chain.blocks select n, sha256(('b' || n)::bytea), sha256('p'::bytea), n from generate_series(1, 1000) n;
      insert into chain.assets (id, author, salt, content_hash, name, data, file_name, file_type, file_size, method,
        hash, uri, block_number, transaction_index, log_index, transaction_hash)
      select sha256(('a' || n)::bytea), substr(sha256('o'::bytea), 1, 20), sha256('s'::bytea), sha256('c'::bytea),
        'name', '', '', '', '', '', '', '', 1 + n % 1000, 0, n / 1000, sha256('t'::bytea)
      from generate_series(1, 100000) n`);
    expect((await five()).flat()).to.deep.equal(names.slice(1));
    expect(await applied()).to.deep.equal(names);
    const named = "select count(*)::int as count from chain.assets where name_key = 'name'";
    expect((await client.query(named)).rows[0]).to.deep.equal({ count: 100_000 });
  });

  it("refuse a database that is newer than the code, and name what they do not know", async () => {
    await migrate(database.url);
    await client.query("insert into public.migrations (name, run_on) values ('9999_tomorrow', now())");
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => migrate(database.url)));
    for (const outcome of outcomes) {
      const reason = outcome.status === "rejected" ? outcome.reason : undefined;
      expect(reason)
        .to.be.instanceOf(NewerSchemaError)
        .and.to.have.property("message")
        .that.matches(/9999_tomorrow/);
    }
  });
});
