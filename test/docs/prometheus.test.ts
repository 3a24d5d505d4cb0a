import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { parse } from "yaml";
import { startApi, type TestApi } from "../support/api.ts";
import { metricNames, metricsIn } from "../support/metric-names.ts";
import { root } from "../support/program.ts";

type Rule = { alert: string; expr: string; annotations: { summary: string; description: string } };
type Rules = { groups: { rules: Rule[] }[] };

describe("docs/prometheus/alerts.yml", () => {
  let api: TestApi;
  let rules: Rule[];
  before(async () => {
    api = await startApi();
    const file = await readFile(join(root, "docs", "prometheus", "alerts.yml"), "utf8");
    rules = (parse(file) as Rules).groups.flatMap((group) => group.rules);
  });
  after(() => api.stop());

  it("asks only for metrics that GET /metrics names", async () => {
    const named = metricNames(await (await fetch(`${api.url}/metrics`)).text());
    expect(rules).to.not.be.empty;
    for (const { alert, expr } of rules) {
      const asked = metricsIn(expr);
      expect(asked, alert).to.not.be.empty;
      expect(named, alert).to.include.members(asked);
    }
  });

  it("says of each alert what has happened and what to do", () => {
    for (const { alert, annotations } of rules) {
      expect(annotations.summary, alert).to.match(/\S/);
      expect(annotations.description, alert).to.match(/\S/);
    }
  });

  it("asks for no queue that is not measured", async () => {
    const text = await (await fetch(`${api.url}/metrics`)).text();
    const queues = [...text.matchAll(/queue_age_seconds\{queue="(\w+)"\}/g)].map(([, queue]) => queue);
    const asked = rules.flatMap(({ expr }) => /queue=~"([\w|]+)"/.exec(expr)?.[1]?.split("|") ?? []);
    expect(asked).to.not.be.empty;
    expect(queues).to.include.members(asked);
  });
});
