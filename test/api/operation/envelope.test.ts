import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect } from "chai";
import helmet from "helmet";
import { limits } from "../../../domain/limits.ts";
import { expectError, keys, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { readRaw, sendRaw } from "../../support/raw-http.ts";

describe("envelope", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  const unknownAsset = `/assets/0x${"0".repeat(64)}`;

  /** Sends bytes as they are; every answer must be the envelope. */
  async function raw(bytes: string) {
    const answer = readRaw(await sendRaw(api.port, bytes));
    expect(answer.headers.get("content-type")).to.equal("application/json; charset=utf-8");
    const envelope = answer.body === "" ? undefined : JSON.parse(answer.body);
    if (envelope !== undefined) expect(envelope.value).to.equal(null);
    return { ...answer, code: envelope?.error.code };
  }

  describe("paths", () => {
    it("takes a trailing slash or none", async () => {
      for (const path of ["/assets", "/assets/"]) {
        expect((await api.post(path, { name: "A", author: owner.address })).status).to.equal(202);
      }
      expect((await api.get("/health/")).status).to.equal(200);
      expectError(await api.get(`${unknownAsset}/links/`), 404, "ASSET_NOT_FOUND");
    });

    it("answers 404 to what is nothing, other case included", async () => {
      for (const path of [
        "/asset",
        "/Assets/",
        "/HEALTH",
        "//assets",
        "/assets//",
        "/favicon.ico",
        "/assets/a/b/c",
        "/%00",
      ]) {
        expectError(await api.get(path), 404, "ROUTE_NOT_FOUND");
      }
    });

    it("answers hostile ids and stays alive", async () => {
      for (const id of [
        "%00",
        "..%2f..%2fetc%2fpasswd",
        "a".repeat(8_000),
        "__proto__",
        "constructor",
        "%F0%9F%98%80",
      ]) {
        const answer = await api.get(`/assets/${id}`);
        expect(answer.status, id.slice(0, 20)).to.be.oneOf([404, 405]);
      }
      for (const path of ["/assets/%E0%A4%A", "/%E0%A4%A", "/assets/%", "/nothing/%zz"]) {
        expectError(await api.get(path), 400, "MALFORMED_PATH");
      }
      expect((await api.get("/health")).status).to.equal(200);
    });

    it("refuses query parameters that an operation does not have", async () => {
      for (const query of ["page=1&page=2", "page[a]=1", "x", "__proto__=1"]) {
        const { details } = expectError(await api.get(`${unknownAsset}?${query}`), 400, "INVALID_REQUEST");
        expect(details).to.have.length(1);
      }
    });
  });

  describe("methods", () => {
    it("answers 405 and names the methods that a path takes", async () => {
      const cases: [string, string, string][] = [
        ["PATCH", "/assets/", "GET, HEAD, POST"],
        ["PUT", unknownAsset, "GET, HEAD"],
        ["DELETE", `${unknownAsset}/links`, "GET, HEAD, PATCH, POST"],
        ["OPTIONS", "/wallets/", "GET, HEAD, POST"],
        ["HEAD", `/transactions/${"0".repeat(8)}/submit`, "POST"],
        ["POST", "/health", "GET, HEAD"],
      ];
      for (const [method, path, allow] of cases) {
        const answer = await api.call(method, path);
        expect(answer.status).to.equal(405);
        expect(answer.headers.get("allow")).to.equal(allow);
        if (method !== "HEAD") expectError(answer, 405, "METHOD_NOT_ALLOWED");
      }
    });

    it("answers TRACE by 405, and no such method by 400", async () => {
      const request = "/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
      expect(await raw(`TRACE ${request}`)).to.include({ status: 405, code: "METHOD_NOT_ALLOWED" });
      expect(await raw(`FETCH ${request}`)).to.include({ status: 400, code: "INVALID_REQUEST" });
    });

    it("answers HEAD as GET without the body", async () => {
      const [head, get] = [await api.call("HEAD", "/health"), await api.get("/health")];
      expect(head.status).to.equal(200);
      expect(head.headers.get("content-length")).to.equal(get.headers.get("content-length"));
    });
  });

  describe("requests that are no HTTP", () => {
    it("answers a malformed line, headers of 40 KB, no Host and an odd expectation", async () => {
      expect(await raw("nonsense\r\n\r\n")).to.include({ status: 400, code: "INVALID_REQUEST" });
      expect(await raw("GET / HTTP/1.1\r\nbad header\r\n\r\n")).to.include({ status: 400 });
      const large = await raw(`GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(40_000)}\r\n\r\n`);
      expect(large).to.include({ status: 431, code: "HEADERS_TOO_LARGE" });
      const hostless = await raw("GET /health HTTP/1.1\r\nConnection: close\r\n\r\n");
      expect(hostless).to.include({ status: 400, code: "INVALID_REQUEST" });
      const expecting = readRaw(
        await sendRaw(
          api.port,
          "GET /health HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nConnection: close\r\n\r\n",
        ),
      );
      expect(JSON.parse(expecting.body)).to.deep.equal({ value: { alive: true } });
    });

    it("answers targets that are no paths, two Hosts and CONNECT", async () => {
      const rest = "HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
      expect(await raw(`GET http://[/health ${rest}`)).to.include({ status: 400, code: "MALFORMED_PATH" });
      expect(await raw(`OPTIONS * ${rest}`)).to.include({ status: 404, code: "ROUTE_NOT_FOUND" });
      expect(await raw(`CONNECT a:1 ${rest}`)).to.include({ status: 400, code: "INVALID_REQUEST" });
      const hosts = await raw(`GET /health HTTP/1.1\r\nHost: b\r\n${rest.slice(10)}`);
      expect(hosts).to.include({ status: 400, code: "INVALID_REQUEST" });
      const absolute = readRaw(await sendRaw(api.port, `GET http://a/health ${rest}`));
      expect(absolute.status).to.equal(200);
    });

    it("cuts off a client that never ends its request, with 408", async () => {
      api.server.headersTimeout = 100;
      api.server.requestTimeout = 200;
      const answer = readRaw(await sendRaw(api.port, "GET /health HTTP/1.1\r\nHost:", 15_000));
      expect(answer.status).to.equal(408);
      expect(JSON.parse(answer.body).error.code).to.equal("REQUEST_TIMEOUT");
      api.server.headersTimeout = 20_000;
      api.server.requestTimeout = 30_000;
    });

    it("refuses a body whose length is said twice or not as a number", async () => {
      const head = "POST /assets/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
      for (const length of [
        "Content-Length: 2\r\nContent-Length: 3",
        "Content-Length: 2\r\nTransfer-Encoding: chunked",
        "Content-Length: x",
      ]) {
        expect(await raw(`${head}${length}\r\n\r\n{}`)).to.include({ status: 400, code: "INVALID_REQUEST" });
      }
    });

    it("answers requests that come behind each other on one connection, each in its turn", async () => {
      const get = "GET /health HTTP/1.1\r\nHost: a\r\n";
      const answer = await sendRaw(api.port, `${get}\r\n${get}Connection: close\r\n\r\n`);
      expect(answer.match(/HTTP\/1\.1 200/g)).to.have.length(2);
    });
  });

  describe("headers", () => {
    it("returns a sane X-Request-Id, and makes one where there is none", async () => {
      const withId = async (id: string) => {
        const { headers } = await api.get("/health", { headers: { "X-Request-Id": id } });
        return headers.get("x-request-id");
      };
      expect(await withId("abc-123")).to.equal("abc-123");
      for (const bad of ["two words", "x".repeat(129), "é"]) {
        expect(await withId(bad)).to.match(/^[0-9a-f-]{36}$/);
      }
    });

    it("says nothing of the software, and lets nobody keep or sniff an answer", async () => {
      const { headers } = await api.get("/health");
      expect(headers.get("x-powered-by")).to.equal(null);
      expect(headers.get("etag")).to.equal(null);
      expect(headers.get("cache-control")).to.equal("no-store");
      expect(headers.get("x-content-type-options")).to.equal("nosniff");
    });

    it("has all that helmet sets, of a page to read", async () => {
      const request = new IncomingMessage(new Socket());
      request.url = "/docs";
      const set = new ServerResponse(request);
      helmet()(request, set, () => {});
      const own = ["content-security-policy", "x-frame-options"];
      const names = set.getHeaderNames().filter((name) => !own.includes(name));
      expect(names).to.have.length.above(9);
      const { headers } = await fetch(`${api.url}/docs`);
      for (const name of names) expect(headers.get(name), name).to.equal(set.getHeader(name));
      expect(headers.get("x-frame-options")).to.equal("DENY");
      const policy = headers.get("content-security-policy");
      expect(policy).to.match(/^default-src 'none';script-src 'self';style-src 'self';/);
      expect(policy).not.to.match(/unsafe|https?:|\*/);
    });

    it("may load nothing and stand in no frame, of success, failure and figures, and says no more", async () => {
      for (const path of ["/health", "/metrics", "/openapi.json", "/nothing", `${unknownAsset}?page=0`]) {
        const { headers } = await fetch(`${api.url}${path}`);
        const expected = {
          "content-security-policy": "default-src 'none';frame-ancestors 'none'",
          "cross-origin-resource-policy": "same-origin",
          "referrer-policy": "no-referrer",
          "strict-transport-security": "max-age=31536000; includeSubDomains",
          "x-content-type-options": "nosniff",
          "x-frame-options": "DENY",
        };
        for (const [name, value] of Object.entries(expected)) expect(headers.get(name), name).to.equal(value);
        const ofPages = ["cross-origin-opener-policy", "origin-agent-cluster", "x-xss-protection"];
        for (const name of ofPages) expect(headers.get(name), name).to.equal(null);
      }
    });
  });

  it("explains nothing of a fault of ours outside, and logs all of it under the request's id", async () => {
    const broken = await startApi();
    broken.services.pool.query = () => {
      throw new Error("secret detail");
    };
    try {
      const answer = await broken.get("/status", { headers: { "X-Request-Id": "find-me" } });
      const { message } = expectError(answer, 500, "INTERNAL_ERROR");
      expect(message).not.to.contain("secret");
      const line = broken.lines.map((text) => JSON.parse(text)).find(({ err }) => err !== undefined);
      expect(line).to.include({ id: "find-me" });
      expect(line.err.message).to.equal("secret detail");
      expect(line.err.stack).to.contain("readIndexPosition");
    } finally {
      await broken.stop();
    }
  });

  it("is not slowed by depth or breadth", async () => {
    const bodies = [
      `{"name":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
      `{${Array.from({ length: 30_000 }, (_, index) => `"k${index}":1`).join()}}`,
      `{"targetAssetIds":[${"1,".repeat(100_000)}1]}`,
    ];
    for (const body of bodies) {
      expect(body.length).to.be.lessThan(limits.bodyBytes + 100_000);
      const before = process.cpuUsage();
      const answer = await api.post("/assets/", body);
      expect(answer.status).to.be.oneOf([400, 413]);
      // Time of the processor, which other work on the machine does not lengthen.
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1_000).to.be.lessThan(300);
      expect(answer.error?.details?.length ?? 0).to.be.at.most(100);
    }
    const nested = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
    const kept = await api.post("/assets/", { name: "deep", author: owner.address, data: nested });
    expect(kept.value.customDefinitionItems[0].value).to.equal(nested);
  });

  it("writes one line per request, with the route and not the path", async () => {
    api.lines.length = 0;
    await api.get(unknownAsset, { headers: { "X-Request-Id": "one-line" }, key: keys["tenant-a"] });
    await api.get("/nothing");
    const lines = api.lines.map((line) => JSON.parse(line));
    expect(lines[0]).to.include({ id: "one-line", method: "GET", route: "/assets/{assetId}", status: 404 });
    expect(lines[0].ms).to.be.a("number");
    expect(lines).to.have.length(2);
  });
});
