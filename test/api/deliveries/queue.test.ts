import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { getConstructionPlans } from "pg-boss";
import { SCHEMA } from "../../../api/deliveries/queue.ts";
import { migrationsFolder } from "../../../db/core/schema-version.ts";

describe("the schema of the job queue", () => {
  it("is what the installed version of pg-boss makes", async () => {
    const migration = await readFile(join(migrationsFolder, "0002_job_queue.sql"), "utf8");
    const lines = (text: string) => text.split("\n").map((line) => line.trimEnd());
    const plan = lines(getConstructionPlans(SCHEMA)).join("\n");
    const made = plan.slice(plan.indexOf("CREATE SCHEMA"), plan.indexOf("    COMMIT;")).trimEnd();
    expect(made.length).to.be.above(10_000);
    expect(migration).to.contain(made);
  });
});
