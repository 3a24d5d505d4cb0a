import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { startApi, type TestApi } from "../support/api.ts";

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
    const named = new Set(
      [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = "", type]) =>
        type === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      ),
    );
    expect(panels).to.not.be.empty;
    for (const { title, targets } of panels) {
      expect(targets, title).to.not.be.empty;
      for (const { expr } of targets) {
        const asked = expr.match(/\b(?:asset_registry|process|nodejs)_\w+/g) ?? [];
        expect(asked, title).to.not.be.empty;
        expect([...named], title).to.include.members(asked);
      }
    }
  });
});
