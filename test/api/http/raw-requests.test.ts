import { gzipSync } from "node:zlib";
import { expect } from "chai";
import type { ErrorCode } from "../../../domain/errors.ts";
import { keys, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";
import { type Issuer, startIssuer } from "../../support/issuer.ts";
import { readRaw, sendRaw } from "../../support/raw-http.ts";

/** What no client library would send, byte by byte: each gets its code in the envelope, and nothing is stored. */
describe("requests as bytes", () => {
  let issuer: Issuer;
  let api: TestApi;
  let asset: string;

  before(async () => {
    issuer = await startIssuer();
    api = await startApi({ issuer: issuer.url });
    asset = await chainFacts(api.pool, api.registry).asset();
  });
  after(async () => {
    await api.stop();
    await issuer.stop();
  });
  afterEach("nothing is stored, and it is alive", async () => {
    const { rows } = await api.pool.query("select count(*) from service.requests");
    expect(rows[0].count).to.equal(0);
    expect((await api.get("/health")).status).to.equal(200);
  });

  type Request = { method?: string; headers?: string[]; body?: string | Uint8Array };

  /** Sends a request with the key of a tenant; its last header closes the connection. */
  async function send(path: string, { method = "GET", headers = [], body = "" }: Request = {}) {
    const head = [
      `${method} ${path} HTTP/1.1`,
      "Host: a",
      `X-API-KEY: ${keys["tenant-a"]}`,
      ...headers,
      ...(body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
      "Connection: close",
      "",
      "",
    ].join("\r\n");
    const answer = await sendRaw(
      api.port,
      Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body)]),
      10_000,
    );
    const { status, headers: answered, body: text } = readRaw(answer);
    expect(answered.get("content-type"), answer.slice(0, 200)).to.equal("application/json; charset=utf-8");
    return { status, ...(text === "" ? {} : JSON.parse(text)) };
  }

  async function expectFailure(
    what: string,
    answer: ReturnType<typeof send>,
    status: number,
    code: ErrorCode,
    fields?: string[],
  ): Promise<void> {
    const { value, error, ...rest } = await answer;
    expect({ value, status: rest.status, code: error?.code }, what).to.deep.equal({
      value: null,
      status,
      code,
    });
    expect(error.message, what).not.to.match(/node_modules|\.ts\b|at \w+ \(/);
    if (fields !== undefined) {
      expect(
        (error.details ?? []).map(({ field }: { field: string }) => field),
        what,
      ).to.deep.equal(fields);
    }
  }

  const json = "Content-Type: application/json";
  const good = () => ({ name: "Lease", author: owner.address });
  const create = (body: string | Uint8Array, headers = [json]) =>
    send("/assets/", { method: "POST", headers, body });

  describe("methods", () => {
    it("refuses to be asked for another one than the request has, wherever that is said", async () => {
      const links = `/assets/${asset}/links`;
      const body = JSON.stringify({ targetAssetIds: [`0x${"1".repeat(64)}`] });
      for (const name of ["X-HTTP-Method-Override", "x-http-method", "X-METHOD-OVERRIDE", "X_HTTP_Method"]) {
        const headers = [json, `${name}: PATCH`];
        await expectFailure(name, send(links, { method: "POST", headers, body }), 400, "INVALID_REQUEST");
        await expectFailure(name, send(`/assets/${asset}`, { headers }), 400, "INVALID_REQUEST");
        await expectFailure(name, send("/health", { headers }), 400, "INVALID_REQUEST");
      }
      for (const query of ["_method=PATCH", "_method", "%5Fmethod=DELETE"]) {
        const answer = send(`${links}?${query}`, { method: "POST", headers: [json], body });
        await expectFailure(query, answer, 400, "INVALID_REQUEST");
        await expectFailure(query, send(`/health?${query}`), 400, "INVALID_REQUEST");
      }
    });
  });

  describe("bodies", () => {
    it("that are no JSON object in UTF-8, in 16 shapes", async () => {
      const text = JSON.stringify(good());
      const utf16 = Buffer.from(`\ufeff${text}`, "utf16le");
      for (const [what, body] of Object.entries({
        "cut short": '{"name":',
        "a text": '"str"',
        null: "null",
        "a list": "[]",
        "a byte order mark": `\ufeff${text}`,
        "white space": "  \r\n",
        "UTF-16": utf16,
        "Latin-1": Buffer.from(text.replace("Lease", "Müller"), "latin1"),
        "an overlong slash": Buffer.concat([
          Buffer.from('{"name":"'),
          Buffer.from([0xc0, 0xaf]),
          Buffer.from('"}'),
        ]),
        "a NUL behind it": `${text}\0`,
        "a raw line end in a text": text.replace("Lease", "Le\nase"),
        "a comment": `${text}// lease`,
        "a comma too many": text.replace("}", ",}"),
        "two of them": text + text,
        "one on each line": `${text}\n${text}`,
        "a number like none": '{"name":01}',
      })) {
        await expectFailure(what, create(body), 400, "MALFORMED_JSON");
      }
      await expectFailure(
        "empty",
        send("/assets/", { method: "POST", headers: [json] }),
        400,
        "MALFORMED_JSON",
      );
    });

    it("of a bad compression, an unknown one, and one that grows to 50 MB", async () => {
      const packed = gzipSync(JSON.stringify(good()));
      const encoded = (name: string) => [json, `Content-Encoding: ${name}`];
      await expectFailure("not packed", create("{}", encoded("gzip")), 400, "MALFORMED_JSON");
      await expectFailure("cut", create(packed.subarray(0, 30), encoded("gzip")), 400, "MALFORMED_JSON");
      for (const name of ["rot13", "gzip, gzip", "compress", "identity, x"]) {
        await expectFailure(name, create(packed, encoded(name)), 415, "UNSUPPORTED_MEDIA_TYPE");
      }
      const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, " "));
      await expectFailure("a bomb", create(bomb, encoded("gzip")), 413, "BODY_TOO_LARGE");
    });

    it("over the limit, by what they say, by what they send, and in chunks", async () => {
      const large = "x".repeat(256 * 1024 + 1);
      await expectFailure("large", create(large), 413, "BODY_TOO_LARGE");
      const chunked = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
      const head = `POST /assets/ HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${keys["tenant-a"]}\r\n${json}\r\nConnection: close\r\n`;
      for (const [what, rest] of [
        ["in chunks", `Transfer-Encoding: chunked\r\n\r\n${chunked}`],
        ["a length that is not sent", `Content-Length: 99999999999\r\n\r\n{}`],
      ]) {
        const answer = readRaw(await sendRaw(api.port, head + rest, 5_000));
        expect([answer.status, JSON.parse(answer.body).error.code], what).to.deep.equal([
          413,
          "BODY_TOO_LARGE",
        ]);
      }
    });

    it("over the limit, after which the connection is kept for the next request", async () => {
      const body = "x".repeat(1024 * 1024);
      const post = `POST /assets/ HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${keys["tenant-a"]}\r\n${json}\r\n`;
      for (const whole of [
        `${post}Content-Length: ${body.length}\r\n\r\n${body}`,
        `${post}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
      ]) {
        const next = "GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        const answers = await sendRaw(api.port, whole + next, 5_000);
        expect(answers.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(["HTTP/1.1 413", "HTTP/1.1 200"]);
      }
    });

    it("of no content type, of another, and of another charset", async () => {
      for (const type of [
        undefined,
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json5",
        "application/jsonp",
        "application/json; charset=utf-16",
        "application/json; charset=latin1",
        "application/json, text/plain",
        "text/json",
      ]) {
        const headers = type === undefined ? [] : [`Content-Type: ${type}`];
        const answer = create(JSON.stringify(good()), headers);
        await expectFailure(String(type), answer, 415, "UNSUPPORTED_MEDIA_TYPE");
      }
    });

    it("takes any JSON in UTF-8, however its type is written", async () => {
      for (const type of [
        "application/json",
        "APPLICATION/JSON",
        "application/json;charset=utf8",
        'application/json ; Charset="UTF-8" ;',
        "application/json; version=1; charset=UTF8",
        "application/vnd.api+json",
        "application/problem+json; charset=utf-8",
      ]) {
        const answer = create("{}", [`Content-Type: ${type}`]);
        await expectFailure(type, answer, 400, "INVALID_REQUEST", ["name", "author"]);
      }
    });

    it("refuses a Content-Type that is too long to be one, without reading it", async () => {
      const types = ["application/json", "application/json;", 'application/json;charset="'];
      const fills = [" ", "\t", ";", "=", '"', "\\", "a", ",", "; ", '";', "+json"];
      for (const fill of fills) {
        for (const type of types) {
          const long = `${type}${fill.repeat(31_000 / fill.length)}x`;
          const answer = create("{}", [`Content-Type: ${long}`]);
          await expectFailure(`${type}${fill}`, answer, 415, "UNSUPPORTED_MEDIA_TYPE");
        }
      }
    });

    it("takes a body without a byte for none, in whatever way it is sent", async () => {
      const chunked = "Transfer-Encoding: chunked";
      const post = async (path: string, headers: string[], body = "") =>
        readRaw(
          await sendRaw(
            api.port,
            [`POST ${path} HTTP/1.1`, "Host: a", "Connection: close", ...headers, "", body].join("\r\n"),
            10_000,
          ),
        );
      const bearer = `Authorization: Bearer ${await issuer.token()}`;
      for (const [headers, body] of [
        [[], ""],
        [["Content-Length: 0"], ""],
        [[chunked], "0\r\n\r\n"],
        [[chunked, json], "0\r\n\r\n"],
        [[chunked, "Content-Type: text/plain"], "0\r\n\r\n"],
        [[chunked, json, "Content-Encoding: gzip"], "0\r\n\r\n"],
      ] as [string[], string][]) {
        const what = headers.join(", ");
        expect((await post("/wallets/", [bearer, ...headers], body)).status, what).to.equal(201);
        const needed = await post("/assets/", [`X-API-KEY: ${keys["tenant-a"]}`, ...headers], body);
        expect(needed.status, what).to.equal(400);
        expect(JSON.parse(needed.body).error.code, what).to.equal("MALFORMED_JSON");
      }
      const typeless = await post("/wallets/", [bearer, chunked], "2\r\n{}\r\n0\r\n\r\n");
      expect(typeless.status).to.equal(415);
    });

    it("with values of the wrong kind, each named", async () => {
      const wrong: [object, string[]][] = [
        [{ name: 5 }, ["name"]],
        [{ name: true }, ["name"]],
        [{ name: null }, ["name"]],
        [{ name: {} }, ["name"]],
        [{ name: [] }, ["name"]],
        [{ name: "" }, ["name"]],
        [{ name: " " }, ["name"]],
        [{ name: "x".repeat(10_001) }, ["name"]],
        [{ author: [owner.address] }, ["author"]],
        [{ author: 5, data: 1, uri: [] }, ["author", "data", "uri"]],
      ];
      for (const [fields, named] of wrong) {
        const answer = create(JSON.stringify({ ...good(), ...fields }));
        await expectFailure(JSON.stringify(fields).slice(0, 40), answer, 400, "INVALID_REQUEST", named);
      }
      for (const targets of [
        "x",
        [[]],
        [1],
        [],
        [null],
        {},
        Array.from({ length: 100_001 }, () => 1),
        [asset, asset],
      ]) {
        const body = JSON.stringify({ targetAssetIds: targets });
        const answer = await send(`/assets/${asset}/links`, { method: "POST", headers: [json], body });
        expect([answer.status, answer.error?.code], body.slice(0, 40)).to.deep.equal([
          400,
          "INVALID_REQUEST",
        ]);
        expect(answer.error.details[0].field).to.match(/^targetAssetIds/);
      }
    });

    it("with keys that JavaScript knows, and those that the service alone sets", async () => {
      for (const key of [
        "__proto__",
        "constructor",
        "toString",
        "id",
        "state",
        "blockchainHash",
        "transactionId",
      ]) {
        const body = JSON.stringify(good()).replace("{", `{"${key}":{"polluted":1},`);
        await expectFailure(key, create(body), 400, "INVALID_REQUEST", [key]);
      }
      expect(({} as { polluted?: number }).polluted).to.equal(undefined);
    });

    it("with a name twice, of which a bad one is refused wherever it stands last", async () => {
      const text = JSON.stringify(good());
      await expectFailure("last", create(text.replace("}", ',"name":5}')), 400, "INVALID_REQUEST", ["name"]);
    });

    it("of great depth or breadth, while others are answered", async () => {
      for (const [what, body] of Object.entries({
        "20,000 deep": `{"name":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
        "20,000 open": "[".repeat(20_000),
        "20,000 wide": `{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":1`).join()}}`,
        "100,000 wide": `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`).join()}}`,
      })) {
        const [{ status, error }, health] = await Promise.all([create(body), api.get("/health")]);
        expect(status, what).to.be.oneOf([400, 413]);
        expect(error.details?.length ?? 0, what).to.be.at.most(100);
        expect(health.status).to.equal(200);
      }
    });
  });

  describe("paths", () => {
    it("with encoded slashes, NUL, dot segments and more in the place of an id: 404", async () => {
      const uuid = "00000000-0000-4000-8000-000000000000";
      const strange = [
        "%00",
        `${asset}%00`,
        `%00${asset}`,
        "..%2f..%2fetc%2fpasswd",
        `${asset}%2fstatus`,
        `..%2f${asset}`,
        "%2e%2e",
        "..",
        ".",
        "%2f",
        "%5c",
        "..%5c..%5cwindows",
        "__proto__",
        "constructor",
        "%F0%9F%98%80",
        "%0d%0aX-Injected:%201",
        "%25%30%30",
        `${asset} `.replace(" ", "%20"),
        `${asset};a=1`,
        asset.replace("0x", "0X"),
        "*",
        "x".repeat(8_000),
      ];
      for (const id of strange) {
        await expectFailure(id, send(`/assets/${id}`), 404, "ASSET_NOT_FOUND");
        await expectFailure(id, send(`/assets/${id}/links`), 404, "ASSET_NOT_FOUND");
        await expectFailure(id, send(`/transactions/${id}`), 404, "TRANSACTION_NOT_FOUND");
      }
      const bearer = [`Authorization: Bearer ${await issuer.token()}`];
      for (const id of [...strange, `${uuid}%00`]) {
        const answer = send(`/wallets/${id}`, { method: "DELETE", headers: bearer });
        await expectFailure(id, answer, 404, "WALLET_NOT_FOUND");
      }
    });

    it("that lead out of the tree, or nowhere: 404", async () => {
      for (const path of [
        "/../etc/passwd",
        "/assets/../../etc/passwd",
        `/assets/../assets/${asset}`,
        "/./health",
        "/health/.",
        "/health/..",
        "/%2e%2e/health",
        "/%2fhealth",
        "/health%2f",
        "/health%00",
        "/health%20",
        "/health.json",
        "/health;a=1",
        "//health",
        "/HEALTH",
        "/%68ealth/x",
        "/docs/../openapi.json",
        "/metrics/%2e%2e/status",
        "/.git/config",
        "/.env",
        "/node_modules",
        "/openapi.json%00.html",
      ]) {
        await expectFailure(path, send(path), 404, "ROUTE_NOT_FOUND");
      }
    });

    it("that cannot be decoded: 400", async () => {
      for (const path of [
        "/assets/%E0%A4%A",
        "/%",
        "/assets/%zz",
        "/assets/%c0%af",
        "/assets/%ff",
        "/assets/%ed%a0%80",
      ]) {
        await expectFailure(path, send(path), 400, "MALFORMED_PATH");
      }
    });
  });

  it("methods that a path does not take: 405, without a body where HEAD asks", async () => {
    for (const method of ["TRACE", "PUT", "OPTIONS", "DELETE", "PATCH", "PROPFIND", "M-SEARCH"]) {
      await expectFailure(method, send("/assets/", { method }), 405, "METHOD_NOT_ALLOWED");
    }
    const head = await send(`/transactions/${"0".repeat(8)}/submit`, { method: "HEAD" });
    expect(head).to.deep.equal({ status: 405 });
  });

  it("headers that are too large, malformed, folded or injected", async () => {
    const large = [`X-Large: ${"x".repeat(40_000)}`];
    await expectFailure("large", send("/health", { headers: large }), 431, "HEADERS_TOO_LARGE");
    for (const header of [
      "bad header",
      ": empty",
      "X-A: a\rb",
      "X-A: a\0b",
      "X A: b",
      "X-A\t: b",
      "X-A: a\nb c",
    ]) {
      await expectFailure(header, send("/health", { headers: [header] }), 400, "INVALID_REQUEST");
    }
  });

  it("a token twice, in two schemes, and one of 20 KB: 401", async () => {
    const token = await issuer.token();
    const long = await issuer.token({ padding: "x".repeat(15_000) });
    expect(long.length).to.be.greaterThan(20_000);
    for (const headers of [
      [`Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`],
      [`Authorization: Bearer ${token}`, "authorization: Basic YTpi"],
      ["AUTHORIZATION: Basic YTpi", `Authorization: Bearer ${token}`],
      [`Authorization: Bearer ${long}`],
    ]) {
      for (const path of ["/wallets/", `/assets/${asset}`]) {
        await expectFailure(path, send(path, { headers }), 401, "IDENTITY_TOKEN_INVALID");
      }
    }
    const alone = await send("/wallets/", { headers: [`Authorization: Bearer ${token}`] });
    expect(alone).to.deep.equal({ status: 200, value: [], meta: { size: 0 } });
  });
});
