import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { attemptProblems } from "../../api/deliveries/outcome.ts";
import { DELIVERY_DAYS } from "../../db/service/deliveries/sweep.ts";
import { kindMeanings, requestKinds, walletKinds } from "../../domain/events/kinds.ts";
import { limits } from "../../domain/limits.ts";

const who = (kind: string) => {
  if (requestKinds.some((one) => one === kind)) return "its tenant and its author";
  return walletKinds.some((one) => one === kind)
    ? "the user, with an identity token"
    : "whoever names the kind";
};

describe("docs/events.md", () => {
  let text: string;
  before(async () => {
    text = await readFile(join(import.meta.dirname, "..", "..", "docs", "events.md"), "utf8");
  });

  /** The rows of the first table behind a heading, without its head. */
  const tableBehind = (heading: string): string[] =>
    (text.split(`\n## ${heading}\n`)[1] ?? "")
      .split("\n## ", 1)[0]
      ?.split("\n")
      .filter((line) => line.startsWith("|"))
      .slice(2) ?? [];

  it("lists every kind of event with what it says, and no other", () => {
    expect(tableBehind("Kinds")).to.deep.equal(
      Object.entries(kindMeanings).map(([kind, says]) => `| \`${kind}\` | ${says} | ${who(kind)} |`),
    );
  });

  it("lists every problem of an attempt to deliver, and no other", () => {
    const rows = text.split("| `problem` | Means |\n| --- | --- |\n")[1]?.split("\n\n", 1)[0];
    expect(rows?.trimEnd().split("\n")).to.deep.equal(
      Object.entries(attemptProblems).map(([problem, means]) => `| \`${problem}\` | ${means} |`),
    );
  });

  it("says each guarantee for each way of reading", () => {
    const rows = tableBehind("What is guaranteed").map((row) => row.slice(2, -2).split(" | "));
    for (const row of rows) expect(row, row[0]).to.have.lengthOf(4);
    expect(rows.map(([about]) => about)).to.include.members(["Order", "Loss", "Duplicates", "Retention"]);
  });

  it("gives the limits as the code has them", () => {
    expect(text).to.include(`${limits.webhooks} webhooks of a tenant`);
    expect(text).to.include(`for ${limits.secretOverlapHours} hours each delivery has two signatures`);
    expect(text).to.include(`each delivery of the last ${DELIVERY_DAYS} days`);
    expect(text).to.include(`${limits.page.max} events or 1 MiB in a page`);
  });
});
