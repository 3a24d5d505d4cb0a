import { expect } from "chai";
import { expectError, keys, startApi, type TestApi } from "../../support/api.ts";

const trusted = "https://app.example";
const stranger = "https://evil.example";

describe("pages of other origins", () => {
  let api: TestApi;
  let closed: TestApi;
  before(async () => {
    api = await startApi({
      environment: { CORS_ORIGINS: `${trusted}, http://localhost:5173`, RATE_LIMIT: "100" },
    });
    closed = await startApi();
  });
  after(async () => {
    await api.stop();
    await closed.stop();
  });

  const preflight = (to: TestApi, origin: string, path = "/assets/") =>
    fetch(`${to.url}${path}`, {
      method: "OPTIONS",
      headers: {
        Origin: origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type,x-api-key",
      },
    });
  const from = (origin: string) => ({ headers: { Origin: origin } });
  const allowed = ({ headers }: { headers: Headers }) => headers.get("access-control-allow-origin");
  const listed = ({ headers }: { headers: Headers }, name: string) =>
    (headers.get(name) ?? "").toLowerCase().split(/, ?/);

  it("are told before they ask what a page of a named origin may do", async () => {
    for (const origin of [trusted, "http://localhost:5173"]) {
      const answer = await preflight(api, origin);
      expect(answer.status).to.equal(204);
      expect(await answer.text()).to.equal("");
      expect(allowed(answer)).to.equal(origin);
      expect(listed(answer, "access-control-allow-methods")).to.include.members(["post", "patch", "delete"]);
      expect(listed(answer, "access-control-allow-headers")).to.include.members([
        "content-type",
        "x-api-key",
        "authorization",
        "idempotency-key",
      ]);
      expect(answer.headers.get("vary")).to.contain("Origin");
      expect(answer.headers.has("access-control-allow-credentials")).to.equal(false);
    }
  });

  it("may read what is public, without a key", async () => {
    const answer = await api.get(`/public/assets/?hash=${"2c".repeat(32)}`, { key: null, ...from(trusted) });
    expect(answer.status).to.equal(200);
    expect(allowed(answer)).to.equal(trusted);
    const refused = await api.get(`/public/assets/?hash=${"2c".repeat(32)}`, from(stranger));
    expect(allowed(refused)).to.equal(null);
  });

  it("may read answers and failures, with the headers that help", async () => {
    const good = await api.get("/assets/", from(trusted));
    const bad = await api.get("/assets/", { key: null, ...from(trusted) });
    expectError(bad, 401, "API_KEY_MISSING");
    expectError(await api.get("/nothing", from(trusted)), 404, "ROUTE_NOT_FOUND");
    for (const answer of [good, bad]) {
      expect(allowed(answer)).to.equal(trusted);
      expect(answer.headers.get("vary")).to.contain("Origin");
      expect(listed(answer, "access-control-expose-headers")).to.include.members([
        "x-request-id",
        "ratelimit",
        "ratelimit-policy",
        "retry-after",
        "location",
      ]);
    }
    expect(good.headers.has("ratelimit")).to.equal(true);
  });

  it("may not where their origin is not named, to the letter", async () => {
    for (const origin of [stranger, "null", "https://app.example.evil.example", "http://app.example", "*"]) {
      const answer = await preflight(api, origin);
      expect(answer.status).to.equal(204);
      expect(allowed(answer), origin).to.equal(null);
      expect(allowed(await api.get("/health", from(origin))), origin).to.equal(null);
    }
  });

  it("may not where none is named, which is the default", async () => {
    const answer = await preflight(closed, trusted);
    expect(answer.status).to.equal(405);
    expect(allowed(answer)).to.equal(null);
    expect(allowed(await closed.get("/health", from(trusted)))).to.equal(null);
  });

  it("do not change what OPTIONS answers to others, nor the other headers for safety", async () => {
    expectError(await api.call("OPTIONS", "/assets/", from(trusted)), 405, "METHOD_NOT_ALLOWED");
    const { headers } = await api.get("/health", { key: keys["tenant-a"], ...from(trusted) });
    expect(headers.get("x-content-type-options")).to.equal("nosniff");
    expect(headers.get("content-security-policy")).to.contain("default-src");
  });
});
