import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { openPool } from "../../../db/core/pool.ts";
import { describeSchema, schemaFile } from "../../../scripts/schema.ts";
import { createDatabase, type TestDatabase } from "../../support/database/postgres.ts";

describe("db/schema.sql", () => {
  let database: TestDatabase;

  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());

  it("is what `npm run schema` writes for the migrations", async () => {
    expect(await describeSchema(database.url)).to.equal(await readFile(schemaFile, "utf8"));
  });

  it("tells any change of a table", async () => {
    const pool = openPool(database.url, { application: "test" });
    const before = await describeSchema(database.url);
    const texts = new Set([before]);
    try {
      for (const change of [
        "alter table service.wallets add column colour text",
        "alter table service.wallets alter column colour set default 'red'",
        "alter table service.wallets alter column colour set not null",
        "alter table service.wallets alter column colour type varchar(10)",
        'alter table service.wallets alter column colour type varchar(10) collate "C"',
        "alter table service.wallets add constraint bright check (colour <> 'black')",
        "create index on service.wallets (colour)",
        "create unique index on service.wallets (lower(colour)) where name <> ''",
        "alter table service.wallets set unlogged",
        "create table service.colours (name text primary key)",
        "alter table service.wallets add foreign key (colour) references service.colours",
        "create function service.paint() returns trigger language plpgsql as 'begin return new; end'",
        "create trigger paint before insert on service.wallets execute function service.paint()",
      ]) {
        await pool.query(change);
        const text = await describeSchema(database.url);
        expect(texts.has(text), change).to.equal(false);
        texts.add(text);
      }
      await pool.query(
        "alter table service.wallets drop column colour; alter table service.wallets set logged; drop table service.colours; drop function service.paint cascade",
      );
      expect(await describeSchema(database.url)).to.equal(before);
    } finally {
      await pool.end();
    }
  });
});
