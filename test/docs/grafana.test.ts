import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { startApi, type TestApi } from "../support/api.ts";
import { metricNames, metricsIn } from "../support/metric-names.ts";

type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] };

describe("docs/grafana/asset-registry.json", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  it("asks only for metrics that GET /metrics names", async () => {
    const file = join(import.meta.dirname, "..", "..", "docs", "grafana", "asset-registry.json");
    const { panels } = JSON.parse(await readFile(file, "utf8")) as Dashboard;
    const text = await (await fetch(`${api.url}/metrics`)).text();
    const named = metricNames(text);
    expect(panels).to.not.be.empty;
    for (const { title, targets } of panels) {
      expect(targets, title).to.not.be.empty;
      for (const { expr } of targets) {
        const asked = metricsIn(expr);
        expect(asked, title).to.not.be.empty;
        expect(named, title).to.include.members(asked);
      }
    }
  });
});
