import { expect } from "chai";
import { createMetrics } from "../../../indexer/monitoring/metrics.ts";
import { createOwnFigures } from "../../../indexer/monitoring/own-figures.ts";

describe("the figures of an indexer's own process", () => {
  it("show 0 for what was not counted, though the name of something counted begins with its name", async () => {
    const metrics = createMetrics();
    const values = () => new Map([["halt_total_of_tomorrow", 1]]);
    const { text } = await createOwnFigures({ ...metrics, values }, () => false)();
    expect(text).to.match(/^asset_registry_indexer_halt_total 0$/m);
  });

  it("show what was counted, by reason", async () => {
    const metrics = createMetrics();
    metrics.count("reorg_total");
    metrics.count("trouble_total", "rate_limited");
    const { text } = await createOwnFigures(metrics, () => false)();
    expect(text).to.match(/^asset_registry_indexer_reorg_total 1$/m);
    expect(text).to.match(/^asset_registry_indexer_trouble_total\{reason="rate_limited"\} 1$/m);
    expect(text).not.to.match(/^asset_registry_indexer_trouble_total 0$/m);
  });
});
