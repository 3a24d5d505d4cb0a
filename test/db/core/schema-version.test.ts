import { expect } from "chai";
import type { Database } from "../../../db/core/pool.ts";
import { readSchemaVersion, schemaProblem } from "../../../db/core/schema-version.ts";

describe("schemaProblem", () => {
  const known = ["0001_a", "0002_b", "0003_c"];

  const problem = async (...applied: string[]) =>
    schemaProblem(await readSchemaVersion(databaseWith(applied), known));

  /** By what it would answer: this version has one migration only, so no database of it is older. */
  const databaseWith = (applied: string[]) =>
    ({
      query: async (sql: string) => ({
        rows: sql.includes("to_regclass") ? [{ found: true }] : applied.map((name) => ({ name })),
      }),
    }) as unknown as Database;

  it("is none of a current schema, nor of a newer one", async () => {
    expect(await problem(...known)).to.equal(undefined);
    expect(await problem(...known, "0004_d")).to.equal(undefined);
  });

  it("names the migrations that an older one misses", async () => {
    expect(await problem("0001_a", "0002_b")).to.equal(
      "The schema of the database is older than this version, migration 0003_c is missing: run `npm run migrate`.",
    );
    expect(await problem("0001_a")).to.contain("migrations 0002_b, 0003_c are missing");
  });

  it("tells an empty one from one of an unreleased version", async () => {
    expect(await problem()).to.equal("The database has no tables yet: run `npm run migrate`.");
    expect(await problem("0001_old")).to.contain("made by an unreleased version");
    expect(await problem("0001_old", "0002_b")).to.contain("made by an unreleased version");
  });
});
