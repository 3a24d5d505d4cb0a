import { expect } from "chai";
import { keys, startApi, type TestApi } from "../../support/api.ts";
import { builtConsole } from "../../support/built-console.ts";
import { readRaw, sendRaw } from "../../support/raw-http.ts";

/**
 * Whatever reads the head of a request, Node, Express and its packages included, takes no longer than its length
 * deserves: each header that anything looks at, the path and the query, as long as a head may be.
 */
describe("heads as long as they may be", () => {
  let built: ReturnType<typeof builtConsole>;
  let api: TestApi;

  before(async () => {
    built = builtConsole();
    api = await startApi({
      consoleFolder: built.folder,
      environment: {
        CORS_ORIGINS: "https://app.example",
        TRUST_PROXY: "1",
        RATE_LIMIT: "0",
        RATE_LIMIT_ADDRESS: "0",
      },
    });
  });
  after(async () => {
    await api.stop();
    built.remove();
  });

  /** Characters of a part, within the 32 KiB of all headers. */
  const long = 31_000;
  /** Milliseconds for an answer: the slowest takes a few, and what is quadratic takes some thousand. */
  const most = 1_000;
  const fills = [
    ...[
      " ",
      "\t",
      "a",
      "0",
      ",",
      ";",
      "=",
      '"',
      "\\",
      "/",
      ".",
      "-",
      ":",
      "%",
      "&",
      "(",
      "[",
      "*",
      "+",
      "\u00e9",
    ],
    ...[
      "a,",
      ", ",
      "; ",
      "a=b;",
      ";a=",
      '",',
      "::",
      "//",
      "/a",
      "%20",
      "a=b&",
      "[]",
      "1-2,",
      "q=0.1,",
      "../../",
    ],
  ];
  const headers = [
    ...["Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Access-Control-Request-Headers"],
    ...[
      "Authorization",
      "Cache-Control",
      "Connection",
      "Content-Encoding",
      "Content-Type",
      "Cookie",
      "Expect",
    ],
    ...[
      "Forwarded",
      "From",
      "Host",
      "Idempotency-Key",
      "If-Match",
      "If-Modified-Since",
      "If-None-Match",
      "Origin",
    ],
    ...["Range", "Referer", "TE", "Traceparent", "Trailer", "Upgrade", "User-Agent", "Via", "X-API-KEY"],
    ...["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-HTTP-Method-Override", "X-Request-Id"],
  ];

  async function answer(
    target: string,
    header: string,
    method: string,
  ): Promise<{ status: number; took: number }> {
    const own = header.slice(0, header.indexOf(":") + 1).toLowerCase();
    const usual = [
      `X-API-KEY: ${keys["tenant-a"]}`,
      "Content-Type: application/json",
      "Host: a",
      "Connection: close",
    ];
    const lines = [
      `${method} ${target} HTTP/1.1`,
      ...usual.filter((line) => own === "" || !line.toLowerCase().startsWith(own)),
      ...(header === "" ? [] : [header]),
      ...["Connection: close", "Content-Length: 2", "", "{}"],
    ];
    const since = performance.now();
    const { status } = readRaw(await sendRaw(api.port, Buffer.from(lines.join("\r\n"), "latin1"), 5_000));
    return { status, took: performance.now() - since };
  }

  async function expectQuick(what: string, target: string, header = "", method = "POST"): Promise<void> {
    const first = await answer(target, header, method);
    expect(first.status, what).to.be.within(200, 499);
    // Once more, where the machine was busy.
    const took = first.took <= most ? first.took : (await answer(target, header, method)).took;
    expect(took, what).to.be.below(most);
  }

  for (const name of headers) {
    it(name, async () => {
      for (const fill of fills) {
        const value = `a${fill.repeat(Math.ceil(long / fill.length)).slice(0, long)}!`;
        await expectQuick(`${name} of ${JSON.stringify(fill)}`, "/assets/", `${name}: ${value}`);
      }
    }).timeout(60_000);
  }

  for (const [name, target] of [
    ["Accept", "/"],
    ["Accept-Encoding", "/console/"],
    ["If-None-Match", "/console/"],
    ["Cache-Control", "/console/"],
  ] as const) {
    it(`${name} of GET ${target}`, async () => {
      for (const fill of fills) {
        const value = `a${fill.repeat(Math.ceil(long / fill.length)).slice(0, long)}!`;
        await expectQuick(`${name} of ${JSON.stringify(fill)}`, target, `${name}: ${value}`, "GET");
      }
    }).timeout(60_000);
  }

  it("path and query", async () => {
    // What cannot stand in a target is refused by Node's parser before anybody reads it.
    for (const fill of fills.filter((one) => !/[\s\u0080-\uffff]/.test(one))) {
      const text = fill.repeat(Math.ceil(long / fill.length)).slice(0, long);
      for (const target of [
        `/${text}`,
        `/assets/${text}/links`,
        `/console/${text}`,
        `/console/files/${text}`,
        `/assets/?${text}`,
        `/assets/?name=${text}!`,
      ]) {
        await expectQuick(target.slice(0, 20), target);
      }
    }
  }).timeout(60_000);
});
