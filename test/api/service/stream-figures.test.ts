import { expect } from "chai";
import { keys, startApi, type TestApi } from "../../support/api.ts";
import { readStream } from "../../support/event-stream.ts";
import { eventually } from "../../support/eventually.ts";

describe("GET /metrics of streams of events", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  const shown = async () =>
    /^asset_registry_event_streams (\d+)$/m.exec(await (await fetch(`${api.url}/metrics`)).text())?.[1];

  it("shows how many are open", async () => {
    expect(await shown()).to.equal("0");
    const open = () => readStream(`${api.url}/events/stream`, { "X-API-KEY": keys["tenant-a"] });
    const readers = await Promise.all([open(), open()]);
    expect(await shown()).to.equal("2");
    for (const reader of readers) reader.close();
    await eventually("no stream", shown, (count) => count === "0");
  });
});
