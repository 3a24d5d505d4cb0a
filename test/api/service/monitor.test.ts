import { expect } from "chai";
import { createMonitor } from "../../../api/service/monitor.ts";
import { addToCounters } from "../../../db/service/counters.ts";
import { expectError, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { readRaw, sendRaw } from "../../support/raw-http.ts";

const token = "token-of-the-operator-0123";

describe("what machines ask about the service", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ monitorMaxAge: 60_000, environment: { METRICS_TOKEN: token } });
  });
  after(() => api.stop());

  const scrape = async () => {
    const response = await fetch(`${api.url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
    expect(response.status).to.equal(200);
    return await response.text();
  };

  it("is read once however many ask, and shows no counter twice", async () => {
    await addToCounters(api.pool, new Map([["reorg_total", 7]]));
    const query = api.pool.query.bind(api.pool);
    let queries = 0;
    api.pool.query = ((...asked: Parameters<typeof query>) => {
      queries += 1;
      return query(...asked);
    }) as typeof api.pool.query;
    const texts = await Promise.all(Array.from({ length: 40 }, scrape));
    const most = queries;
    for (const text of [...texts, await scrape()]) expect(text).to.contain("asset_registry_reorg_total 7\n");
    for (const path of ["/ready", "/status"]) {
      await Promise.all(Array.from({ length: 40 }, () => api.get(path, { key: null })));
    }
    expect(most).to.be.below(15);
    expect(queries - most).to.be.below(15);
    Object.assign(api.pool, { query });
  });

  it("needs the token where one is set, exactly and once", async () => {
    for (const bearer of [undefined, "", "x", `${token}x`, token.slice(1)]) {
      const answer = await api.get("/metrics", { key: null, ...(bearer === undefined ? {} : { bearer }) });
      expectError(answer, 401, "METRICS_TOKEN_INVALID");
    }
    const header = `Authorization: Bearer ${token}\r\n`;
    const twice = `GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${header}${header}\r\n`;
    expect(readRaw(await sendRaw(api.port, twice)).status).to.equal(401);
    for (const path of ["/health", "/status"])
      expect((await api.get(path, { key: null })).status).to.equal(200);
  });

  it("waits for nothing that tenants hold, and tenants for nothing of it", async () => {
    const slow = createMonitor(api.pool);
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const waiting = Array.from({ length: 400 }, () => slow.share("figures", () => held));
    const { status } = await api.post("/assets/", { name: "Lease", author: owner.address });
    expect(status).to.equal(202);
    end();
    await Promise.all(waiting);
  });
});

describe("a shared reading", () => {
  it("is the same for all who ask while it is under way or new, and is read again when it is old", async () => {
    let count = 0;
    const read = async () => {
      count += 1;
      return count;
    };
    const fresh = createMonitor({} as never, 60_000);
    expect(await Promise.all([fresh.share("a", read), fresh.share("a", read)])).to.deep.equal([1, 1]);
    expect([await fresh.share("a", read), await fresh.share("b", read)]).to.deep.equal([1, 2]);
    const old = createMonitor({} as never, 0);
    expect([await old.share("a", read), await old.share("a", read)]).to.deep.equal([3, 4]);
  });

  it("that fails fails for all who wait, and not for ever", async () => {
    const monitor = createMonitor({} as never, 0);
    const fail = () => Promise.reject(new Error("no"));
    const both = await Promise.allSettled([monitor.share("a", fail), monitor.share("a", fail)]);
    expect(both.map(({ status }) => status)).to.deep.equal(["rejected", "rejected"]);
    expect(await monitor.share("a", async () => 1)).to.equal(1);
  });
});
