import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect } from "chai";
import { expectError, startApi, type TestApi } from "../../support/api.ts";
import { builtConsole, script } from "../../support/built-console.ts";
import { readRaw, sendRaw } from "../../support/raw-http.ts";

const transaction = "ddc3911c-090c-4831-a37d-48a6dab94ae5";
const asset = `0x${"5f".repeat(32)}`;

describe("the files of the console", () => {
  let built: ReturnType<typeof builtConsole>;
  let api: TestApi;

  before(async () => {
    built = builtConsole({ ".hash": "hidden", "sources.sha256": "5f", "secret.txt": "not a page" });
    symlinkSync("/etc/hosts", join(built.folder, "files", "hosts.txt"));
    api = await startApi({ consoleFolder: built.folder });
  });
  after(async () => {
    await api.stop();
    built.remove();
  });

  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(`${api.url}${path}`, { method, headers, redirect: "manual" });
  const raw = async (target: string, method = "GET") =>
    readRaw(await sendRaw(api.port, `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`));

  for (const path of [
    "/console",
    "/console/",
    "/console/?a=b",
    `/console/sign/${transaction}`,
    `/console/assets/${asset}`,
    "/console/verify",
    "/console/inbox/",
    "/console/a-page-of-later",
  ]) {
    it(`are loaded by one document, which ${path} answers`, async () => {
      const answer = await get(path);
      expect(answer.status).to.equal(200);
      expect(answer.headers.get("content-type")).to.equal("text/html; charset=utf-8");
      expect(answer.headers.get("cache-control")).to.equal("no-cache");
      expect(await answer.text()).to.contain('src="/console/files/index-aLeQKqoB.js"');
      const again = { "If-None-Match": answer.headers.get("etag") ?? "", "Cache-Control": "max-age=0" };
      const same = await get(path, again);
      expect(same.status).to.equal(304);
      expect(same.headers.get("content-security-policy")).to.equal(
        answer.headers.get("content-security-policy"),
      );
    });
  }

  for (const [name, type] of [
    ["index-aLeQKqoB.js", "text/javascript; charset=utf-8"],
    ["index-DDZLfM-F.css", "text/css; charset=utf-8"],
    ["icon-Bfazed0J.svg", "image/svg+xml"],
    ["worker-Zk_81x-w.wasm", "application/wasm"],
  ] as const) {
    it(`are sent by their type and kept for a year: ${name}`, async () => {
      const answer = await get(`/console/files/${name}`);
      expect(answer.status).to.equal(200);
      expect(answer.headers.get("content-type")).to.equal(type);
      expect(answer.headers.get("cache-control")).to.equal("public, max-age=31536000, immutable");
      expect(answer.headers.get("x-content-type-options")).to.equal("nosniff");
      expect(answer.headers.get("cross-origin-resource-policy")).to.equal("same-origin");
      // What a worker made of it may do: run code of the service, and call nobody.
      expect(answer.headers.get("content-security-policy")).to.equal(
        "default-src 'none';script-src 'self' 'wasm-unsafe-eval';frame-ancestors 'none'",
      );
    });
  }

  it("are compressed as the browser takes it, each way under a tag of its own", async () => {
    const path = "/console/files/index-aLeQKqoB.js";
    const tags = new Set<string>();
    const same = (bytes: Buffer) => bytes;
    const ways: [asked: string, sent: string | undefined, unpack: (bytes: Buffer) => Buffer][] = [
      ["br, gzip", "br", brotliDecompressSync],
      ["gzip, deflate", "gzip", gunzipSync],
      ["gzip;q=1, br;q=0.1", "gzip", gunzipSync],
      ["br;q=0, identity", undefined, same],
      ["", undefined, same],
    ];
    for (const [asked, sent, unpack] of ways) {
      // Raw, since fetch would unpack it and hide what was sent.
      const { headers, body } = await compressed(path, asked);
      expect(headers.get("content-encoding"), asked).to.equal(sent);
      expect(headers.get("vary"), asked).to.equal("Accept-Encoding");
      expect(unpack(body).toString(), asked).to.equal(script);
      expect(body.length, asked).to.equal(Number(headers.get("content-length")));
      tags.add(String(headers.get("etag")));
    }
    expect([...tags]).to.have.length(3);
  });

  async function compressed(path: string, encodings: string) {
    return await new Promise<{ headers: Map<string, string | string[] | undefined>; body: Buffer }>(
      (resolve, reject) => {
        const asked = request(
          `${api.url}${path}`,
          { headers: { "Accept-Encoding": encodings } },
          (answer) => {
            const parts: Buffer[] = [];
            answer.on("data", (part: Buffer) => parts.push(part));
            answer.on("end", () =>
              resolve({ headers: new Map(Object.entries(answer.headers)), body: Buffer.concat(parts) }),
            );
          },
        );
        asked.on("error", reject).end();
      },
    );
  }

  it("are answered to HEAD by their headers alone", async () => {
    for (const path of ["/console/", "/console/files/index-DDZLfM-F.css", "/console/settings.json"]) {
      const [head, whole] = [await raw(path, "HEAD"), await raw(path)];
      expect(head.status, path).to.equal(200);
      expect(head.body, path).to.equal("");
      for (const name of ["content-type", "content-length", "etag", "cache-control"]) {
        expect(head.headers.get(name), `${path} ${name}`).to.equal(whole.headers.get(name));
      }
      expect(whole.body.length, path).to.equal(Number(whole.headers.get("content-length")));
    }
  });

  for (const target of [
    "/console/files/",
    "/console/files/index.js",
    "/console/files/index-aLeQKqoB.js.br",
    "/console/files/..%2findex.html",
    "/console/files/../index.html",
    "/console/files/..%5cindex.html",
    "/console/files/%2e%2e/index.html",
    "/console/files/index-DDZLfM-F.css%00",
    "/console/files/index-DDZLfM-F.css/",
    "/console/files/hosts.txt",
    "/console/files/__proto__",
    "/console/index.html",
    "/console/secret.txt",
    "/console/.hash",
    "/console/sources.sha256",
    "/console/../package.json",
    "/console/..%2fpackage.json",
    "/console/..%2f..%2fetc%2fpasswd",
    "/console/....//....//etc/passwd",
    "/console//etc/passwd",
    "/console/%2fetc%2fpasswd",
    "/console/%2F",
    "/console/%00",
    "/console/sign/%0d%0aSet-Cookie:a",
    "/console/assets/a.b",
    "/console/\\..\\package.json",
    "/console/settings.json/",
    "/console/settings%2ejson",
    "/Console/",
    "/consoles",
  ]) {
    it(`are no others: ${target}`, async () => {
      const { status, headers, body } = await raw(target);
      expect({ status, code: JSON.parse(body).error.code }).to.deep.equal({
        status: 404,
        code: "ROUTE_NOT_FOUND",
      });
      expect(headers.get("content-security-policy")).to.equal("default-src 'none';frame-ancestors 'none'");
    });
  }

  it("are refused at paths that cannot be decoded", async () => {
    const { status, body } = await raw("/console/files/%ff");
    expect({ status, code: JSON.parse(body).error.code }).to.deep.equal({
      status: 400,
      code: "MALFORMED_PATH",
    });
  });

  for (const path of ["/console/", "/console/files/index-DDZLfM-F.css", "/console/settings.json"]) {
    it(`take no other method than GET and HEAD: ${path}`, async () => {
      for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
        const answer = await api.call(method, path);
        expectError(answer, 405, "METHOD_NOT_ALLOWED");
        expect(answer.headers.get("allow"), method).to.equal("GET, HEAD");
      }
    });
  }

  it("leave the log and the figures without the id of a transaction", async () => {
    await get(`/console/sign/${transaction}`);
    expect(api.lines.join("")).not.to.contain(transaction);
    expect(await (await get("/metrics")).text())
      .to.contain('route="/console"')
      .and.not.contain(transaction);
  });

  it("count for the address that asks for them", async () => {
    const limited = await startApi({ consoleFolder: built.folder, environment: { RATE_LIMIT_ADDRESS: "2" } });
    try {
      expect((await fetch(`${limited.url}/console/`)).status).to.equal(200);
      expect((await fetch(`${limited.url}/console/files/index-DDZLfM-F.css`)).status).to.equal(200);
      for (const path of ["/console/", "/console/files/index-DDZLfM-F.css", "/console/settings.json"]) {
        const answer = await fetch(`${limited.url}${path}`);
        expect(answer.status, path).to.equal(429);
        expect(await answer.json()).to.have.nested.property("error.code", "RATE_LIMITED");
      }
    } finally {
      await limited.stop();
    }
  });
});

describe("a console that has not been built", () => {
  let built: ReturnType<typeof builtConsole>;
  let api: TestApi;

  before(async () => {
    built = builtConsole();
    rmSync(built.folder, { recursive: true });
    api = await startApi({ consoleFolder: built.folder });
  });
  after(async () => {
    await api.stop();
    built.remove();
  });

  it("says so in a page, and appears as soon as it is built", async () => {
    const missing = await fetch(`${api.url}/console/sign/${transaction}`);
    expect(missing.status).to.equal(503);
    expect(missing.headers.get("content-type")).to.equal("text/html; charset=utf-8");
    expect(missing.headers.get("cache-control")).to.equal("no-store");
    expect(await missing.text())
      .to.contain("npm run build")
      .and.not.match(/<script|<style|style=|src=/);
    expectError(await api.get("/console/files/index-DDZLfM-F.css"), 404, "ROUTE_NOT_FOUND");
    expect((await fetch(`${api.url}/console/settings.json`)).status).to.equal(200);

    const { folder, remove } = builtConsole();
    try {
      symlinkSync(folder, built.folder);
      expect(await (await fetch(`${api.url}/console/`)).text()).to.contain("<title>Asset Registry</title>");
      // What was read stays whole while another build replaces it.
      writeFileSync(join(folder, "index.html"), "half");
      expect(await (await fetch(`${api.url}/console/`)).text()).to.contain("<title>Asset Registry</title>");
    } finally {
      remove();
    }
  });
});
