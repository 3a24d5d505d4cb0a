import { expect } from "chai";
import { pino } from "pino";
import { createSearchKeyRenewal } from "../../indexer/search-key-renewal.ts";
import { startApi, type TestApi } from "../support/api.ts";
import { chainFacts } from "../support/chain-facts.ts";

describe("renewing search keys", () => {
  let api: TestApi;

  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  it("goes through every table once, says how many rows had an older key, and stops when it is told to", async () => {
    const asset = await chainFacts(api.pool, api.registry).asset({ name: "Straßenvertrag" });
    await api.pool.query("update chain.assets set name_key = 'straßenvertrag'");
    const said: object[] = [];
    const log = pino({ level: "info" }, { write: (line) => said.push(JSON.parse(line)) });
    const renew = createSearchKeyRenewal(api.pool, log);
    const found = async () =>
      (await api.get("/assets/?name=STRASSEN")).value.map(({ id }: { id: string }) => id);

    await renew(AbortSignal.abort());
    expect(await found()).to.deep.equal([]);
    await renew(new AbortController().signal);
    expect(await found()).to.deep.equal([asset]);
    await renew(new AbortController().signal);
    expect(said.map((line) => ({ ...line }))).to.have.length(1);
    expect(said[0]).to.include({ msg: "search keys renewed", table: "chain.assets", rows: 1 });
  });
});
