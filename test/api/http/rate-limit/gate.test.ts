import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { allRoutes } from "../../../../api/routes.ts";
import { insertKey, keyDigest } from "../../../../db/service/api-keys.ts";
import { type Answer, type Call, expectError, keys, startApi, type TestApi } from "../../../support/api.ts";
import { type Issuer, startIssuer } from "../../../support/issuer.ts";
import { sendRaw } from "../../../support/raw-http.ts";

const asset = `/assets/0x${"0".repeat(64)}`;
const environment = {
  RATE_LIMIT: "20",
  RATE_LIMIT_ADDRESS: "10",
  RATE_LIMIT_PUBLIC: "7",
  RATE_LIMIT_FAILURES: "5",
};

describe("rate limits", () => {
  let issuer: Issuer;
  /** Behind a proxy, so that a test can call from any address. */
  let api: TestApi;
  let direct: TestApi;
  before(async () => {
    issuer = await startIssuer();
    api = await startApi({ issuer: issuer.url, environment: { ...environment, TRUST_PROXY: "1" } });
    direct = await startApi({ environment });
  });
  after(async () => {
    await api.stop();
    await direct.stop();
    await issuer.stop();
  });

  let addresses = 0;
  /** An address that nobody has called from. */
  function newAddress(): string {
    addresses += 1;
    return `192.0.2.${addresses}`;
  }

  async function newKey(): Promise<string> {
    const key = `key-of-the-database-${randomUUID()}`;
    await insertKey(api.pool, { id: randomUUID(), tenant: "t", name: "", digest: keyDigest(key) }, "test");
    return key;
  }

  const from = (address: string, call: Call = {}): Call => ({
    key: null,
    ...call,
    headers: { ...call.headers, "X-Forwarded-For": address },
  });

  async function statuses(times: number, ask: (index: number) => Promise<Answer>): Promise<number[]> {
    const found: number[] = [];
    for (let index = 0; index < times; index += 1) found.push((await ask(index)).status);
    return found;
  }

  const times = (status: number, count: number): number[] => Array.from({ length: count }, () => status);

  it("are per API key, wherever it is sent from, and refuse with Retry-After in the envelope", async () => {
    const key = await newKey();
    const ask = () => api.get(asset, from(newAddress(), { key }));
    expect(await statuses(20, ask)).to.deep.equal(times(404, 20));
    const refused = await ask();
    const { message } = expectError(refused, 429, "RATE_LIMITED");
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).to.be.within(1, 60);
    expect(message).to.contain("20 requests in 60 seconds").and.contain(`Try again in ${seconds} seconds`);
    expectError(await api.get(asset, { key: await newKey() }), 404, "ASSET_NOT_FOUND");
  });

  it("are told in every answer, as the draft standard says", async () => {
    const answer = await api.get(asset, { key: await newKey() });
    expect(answer.headers.get("ratelimit-policy")).to.equal('"key";q=20;w=60');
    expect(answer.headers.get("ratelimit")).to.match(/^"key";r=19;t=(59|60)$/);
    const wrong = await api.get(asset, from(newAddress(), { key: "wrong" }));
    expect(wrong.headers.get("ratelimit-policy")).to.equal('"address";q=10;w=60, "failures";q=5;w=60');
    expect(wrong.headers.get("ratelimit")).to.match(/^"address";r=9;t=\d+, "failures";r=4;t=\d+$/);
    expect(wrong.headers.get("retry-after")).to.equal(null);
  });

  it("are per address without a valid key: of tokens, capabilities and open operations alike", async () => {
    const address = newAddress();
    const bearer = await issuer.token();
    const paths = ["/wallets/", "/docs", "/status", `/transactions/${randomUUID()}`, "/wallets/"];
    const ask = (index: number) => api.get(paths[index % 5] ?? "", from(address, { bearer }));
    expect(await statuses(10, ask)).to.not.include(429);
    expectError(await ask(0), 429, "RATE_LIMITED");
    expectError(await api.get(asset, from(address)), 429, "RATE_LIMITED");
    // With a valid key, the same address is not asked for.
    expectError(await api.get(asset, from(address, { key: await newKey() })), 404, "ASSET_NOT_FOUND");
    expect((await api.get("/status", from(newAddress()))).status).to.equal(200);
  });

  it("are per address for public operations, whatever credentials are sent, and count for nothing else", async () => {
    const address = newAddress();
    const hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const paths = [`/public${asset}`, `/public${asset}/links`, `/public/assets/?hash=${hash}`];
    const key = await newKey();
    const calls: Call[] = [{ key: null }, { key: "wrong" }, { key }, { key: null, bearer: "wrong" }];
    const ask = (index: number) => api.get(paths[index % 3] ?? "", from(address, calls[index % 4]));
    expect(await statuses(7, ask)).to.deep.equal([404, 404, 200, 404, 404, 200, 404]);
    const refused = await ask(0);
    const { message } = expectError(refused, 429, "RATE_LIMITED");
    expect(message).to.contain("7 requests to public operations came from your address in 60 seconds");
    expect(Number(refused.headers.get("retry-after"))).to.be.within(1, 60);
    expect(refused.headers.get("ratelimit-policy")).to.equal('"public";q=7;w=60');
    expectError(await api.get(asset, from(address, { key })), 404, "ASSET_NOT_FOUND");
    const status = await api.get("/status", from(address));
    expect(status.headers.get("ratelimit")).to.match(/^"address";r=9;t=\d+$/);
    expectError(await api.get(`/public${asset}`, from(newAddress())), 404, "ASSET_NOT_FOUND");
  });

  it("take a /64 of IPv6 for one caller", async () => {
    const ask = (index: number) => api.get("/status", from(`2001:db8:1:1:${index}::${index}`));
    expect(await statuses(12, ask)).to.deep.equal([...times(200, 10), 429, 429]);
    expect((await api.get("/status", from("2001:db8:1:2::1"))).status).to.equal(200);
  });

  it("refuse ten thousand wrong keys after the first few, and none that is right", async () => {
    const address = newAddress();
    const key = await newKey();
    const right = () => api.get(asset, from(address, { key }));
    expectError(await right(), 404, "ASSET_NOT_FOUND");
    const guess = (index: number) =>
      `GET ${asset} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nX-API-KEY: guess-${index}\r\n`;
    const guesses = (first: number) =>
      Array.from({ length: 1_000 }, (_, index) => `${guess(first + index)}\r\n`).join("");
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        sendRaw(api.port, `${guesses(index * 1_000)}${guess(0)}Connection: close\r\n\r\n`, 20_000),
      ),
    );
    const all = answers.join("").match(/HTTP\/1\.1 \d+/g) ?? [];
    expect(all).to.have.length(10_010);
    expect(all.filter((line) => line.endsWith("401"))).to.have.length(5);
    expect(all.filter((line) => line.endsWith("429"))).to.have.length(10_005);
    expectError(await right(), 404, "ASSET_NOT_FOUND");
    // A guess that is right learns nothing.
    expectError(await api.get(asset, from(address, { key: await newKey() })), 429, "RATE_LIMITED");
  });

  it("refuse wrong tokens after a few, before they are looked at", async () => {
    const address = newAddress();
    const wrong = () => api.get("/wallets/", from(address, { bearer: "wrong" }));
    expect(await statuses(6, wrong)).to.deep.equal([...times(401, 5), 429]);
    expectError(
      await api.get("/wallets/", from(address, { bearer: await issuer.token() })),
      429,
      "RATE_LIMITED",
    );
  });

  it("do not count what has no credential as a wrong one", async () => {
    const address = newAddress();
    expect(await statuses(10, () => api.get(asset, from(address)))).to.deep.equal(times(401, 10));
    expectError(await api.get(asset, from(address)), 429, "RATE_LIMITED");
  });

  it("let the machines through that look after the service", async () => {
    const address = newAddress();
    await statuses(11, () => api.get("/status", from(address)));
    expectError(await api.get("/status", from(address)), 429, "RATE_LIMITED");
    for (const path of ["/health", "/ready", "/metrics"]) {
      const answer = await api.get(path, from(address, { key: "wrong" }));
      expect(answer.status, path).to.equal(200);
      expect(answer.headers.has("ratelimit"), path).to.equal(false);
    }
    const unlimited = allRoutes.filter((route) => route.unlimited).map(({ path }) => path);
    expect(unlimited).to.deep.equal(["/health", "/ready", "/metrics"]);
  });

  it("are not dodged by headers where no proxy is trusted", async () => {
    const ask = (index: number) =>
      direct.get("/status", {
        key: null,
        headers: {
          "X-Forwarded-For": `198.51.100.${index}`,
          "X-Real-IP": `198.51.100.${index}`,
          Forwarded: `for=198.51.100.${index}`,
          "CF-Connecting-IP": `198.51.100.${index}`,
        },
      });
    expect(await statuses(100, ask)).to.deep.equal([...times(200, 10), ...times(429, 90)]);
  });

  it("believe of the header what the trusted proxies have added, and no more", async () => {
    const ask = (index: number) => api.get("/status", from(`198.51.100.${index}, 203.0.113.1`));
    expect(await statuses(12, ask)).to.deep.equal([...times(200, 10), 429, 429]);
  });

  it("hold callers apart whose proxy writes their ports, so that one with wrong keys stops nobody else", async () => {
    const bearer = await issuer.token();
    const wrong = (index: number) =>
      api.get("/wallets/", from(`203.0.113.66:${50_000 + index}`, { bearer: "wrong" }));
    expect(await statuses(7, wrong)).to.deep.equal([...times(401, 5), 429, 429]);
    for (const other of ["203.0.113.67:50000", '"[2001:db8:77::1]:50000"', "for=203.0.113.68"]) {
      expect((await api.get("/wallets/", from(other, { bearer }))).status, other).to.equal(200);
    }
    expect(api.lines.filter((line) => line.includes("X-Forwarded-For"))).to.deep.equal([]);
  });

  it("take what a proxy names in another form for the proxy itself", async () => {
    const ask = (index: number) => api.get("/status", from(`caller-${index}`));
    expect(await statuses(12, ask)).to.deep.equal([...times(200, 10), 429, 429]);
    expect(api.lines.filter((line) => line.includes("X-Forwarded-For"))).to.have.length(1);
  });

  for (const [trusted, addresses] of [
    ["127.0.0.1, 10.0.0.0/8", "198.51.100.77, 10.1.2.3"],
    ["127.0.0.0/8,fd00::/8", "198.51.100.77, fd00::1"],
    ["3", "198.51.100.77, 10.1.2.3, 10.4.5.6"],
  ] as const) {
    it(`believe proxies by TRUST_PROXY=${trusted}`, async () => {
      const behind = await startApi({ environment: { ...environment, TRUST_PROXY: trusted } });
      try {
        expect(
          await statuses(11, (index) => behind.get("/status", from(`203.0.113.${index}, ${addresses}`))),
        ).to.deep.equal([...times(200, 10), 429]);
        expect((await behind.get("/status", from(addresses.replace("77", "78")))).status).to.equal(200);
      } finally {
        await behind.stop();
      }
    });
  }

  it("go on while the database is down", async () => {
    const down = await startApi({ environment, databaseDown: true });
    try {
      const ask = () => down.get(asset, { key: keys["tenant-a"] });
      expect(await statuses(22, ask)).to.deep.equal([...times(503, 20), 429, 429]);
    } finally {
      await down.stop();
    }
  });

  it("are absent where they are switched off", async () => {
    const off = await startApi();
    try {
      const answers = await Promise.all(Array.from({ length: 100 }, () => off.get("/status", { key: null })));
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
      expect(answers[0]?.headers.has("ratelimit")).to.equal(false);
    } finally {
      await off.stop();
    }
  });
});
