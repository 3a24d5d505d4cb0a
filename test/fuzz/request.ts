import { gzipSync } from "node:zlib";
import type { Random } from "../simulation/random.ts";
import { keys } from "../support/api.ts";
import { document } from "../support/contract.ts";
import { hostileShortText, hostileValue } from "./hostile.ts";
import { goodValue, type Known, type Schema } from "./values.ts";

export type Tenant = "tenant-a" | "tenant-b";
/** Who asks: a tenant, or somebody without a key that is right. */
export type Asker = Tenant | "nobody";
export type FuzzRequest = {
  as: Asker;
  method: string;
  path: string;
  headers: [string, string][];
  body: string | Buffer | undefined;
};

type Parameter = { name: string; in: string; required: boolean; schema: Schema };
type Operation = {
  method: string;
  path: string;
  parameters: Parameter[];
  body: Schema | undefined;
};

const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    parameters: (operation.parameters as Parameter[]).filter(({ name }) => name !== undefined),
    body: (operation.requestBody as { content: Record<string, { schema: Schema }> } | undefined)?.content[
      "application/json"
    ]?.schema,
  })),
);

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "PURGE"];

/** A request of the document's, bent at random: most at one place, so that the rest of it is read too. */
export function nextRequest(random: Random, known: Record<Asker, Known>, tokens: string[]): FuzzRequest {
  const as: Asker = random.chance(0.8) ? "tenant-a" : random.pick(["tenant-b", "nobody"]);
  // Somebody without a key knows ids only by luck; here it always has luck.
  const knows = as === "tenant-b" ? known["tenant-b"] : known["tenant-a"];
  const operation = random.pick(operations);
  const bend = random.pick([
    "nothing",
    "nothing",
    "path",
    "query",
    "body",
    "body",
    "body",
    "headers",
    "method",
  ]);
  const method = bend === "method" ? random.pick(methods) : operation.method;
  const path =
    pathOf(random, operation, knows, bend === "path") + queryOf(random, operation, knows, bend === "query");
  const headers = credentials(random, as, tokens, bend === "headers");
  if (bend === "headers") headers.push(...hostileHeaders(random));
  // Of so few that each is met again: by the same tenant with something else, and by the other tenant.
  if (random.chance(0.05)) headers.push(["Idempotency-Key", `key-${random.whole(1, 50)}`]);
  if (operation.body === undefined && bend !== "method" && !(bend === "body" && random.chance(0.1))) {
    return { as, method, path, headers, body: undefined };
  }
  const { body, more } = bodyOf(random, operation.body ?? {}, knows, bend === "body", as);
  return { as, method, path, headers: [...headers, ...more], body };
}

function pathOf(random: Random, { path, parameters }: Operation, known: Known, bent: boolean): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const schema = parameters.find((parameter) => parameter.name === name)?.schema ?? {};
    const value =
      bent && random.chance(0.7) ? hostileShortText(random) : String(goodValue(random, name, schema, known));
    return bent && random.chance(0.1) ? latin(value) : encode(value);
  });
  if (!bent || random.chance(0.7)) return random.chance(0.1) ? filled.replace(/(.)\/$/, "$1") : filled;
  return random.pick([
    `/${filled}`,
    `${filled}/`,
    `${filled}//`,
    filled.toUpperCase(),
    `/.${filled}`,
    `/x/..${filled}`,
    `${filled}%00`,
    `${filled}%`,
    `${filled}%ff`,
    `${filled}%2f`,
    `${filled};a=1`,
    `${filled}#a`,
    `http://elsewhere${filled}`,
    `*`,
    `/%${"25".repeat(50)}`,
    `${filled}/${"a/".repeat(200)}`,
  ]);
}

/** What a URL holds; half a surrogate pair cannot be encoded, so it goes as the bytes that it would have. */
const encode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll("%EF%BF%BD", "%ED%A0%80");
/** Only what Node lets out in a request line or header. */
const latin = (text: string): string => text.replaceAll(/[^\x21-\x7e\xa0-\xff]/g, "").slice(0, 8_000);

function queryOf(random: Random, { parameters }: Operation, known: Known, bent: boolean): string {
  const pairs: [string, string][] = [];
  for (const { name, in: place, schema } of parameters) {
    if (place !== "query" || !random.chance(0.3)) continue;
    const good = goodValue(random, name, schema, known);
    pairs.push([name, bent && random.chance(0.6) ? hostileShortText(random) : String(good)]);
    if (bent && random.chance(0.1)) pairs.push([name, String(good)]);
  }
  if (bent && random.chance(0.3)) pairs.push([hostileShortText(random), hostileShortText(random)]);
  if (pairs.length === 0)
    return bent ? random.pick(["?", "?&&&", "?=", "?a", "?%", "?size=%ff", "??page=1"]) : "";
  return `?${pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&")}`;
}

function credentials(random: Random, as: Asker, tokens: string[], bent: boolean): [string, string][] {
  const headers: [string, string][] = [];
  if (as !== "nobody") headers.push(["X-API-KEY", keys[as]]);
  // Tokens are those of the users of tenant A's side.
  if (as === "tenant-a" && random.chance(0.25))
    headers.push(["Authorization", `Bearer ${random.pick(tokens)}`]);
  if (!bent) return headers;
  const token = random.pick(tokens);
  const wrong: [string, string][] = [
    ["X-API-KEY", latin(hostileShortText(random))],
    ["Authorization", latin(hostileShortText(random))],
    ["Authorization", `Bearer ${latin(hostileShortText(random))}`],
    ["Authorization", `Bearer ${token.slice(0, random.whole(1, token.length))}`],
    [
      "Authorization",
      `Bearer ${Buffer.from('{"alg":"none"}').toString("base64url")}.${token.split(".")[1]}.`,
    ],
    ["Authorization", `Basic ${Buffer.from("a:b").toString("base64")}`],
    ["Authorization", `Bearer ${"a".repeat(20_000)}`],
  ];
  return random.chance(0.5) ? headers : [...headers, random.pick(wrong)];
}

function hostileHeaders(random: Random): [string, string][] {
  const value = latin(hostileShortText(random));
  const choices: [string, string][] = [
    ["X-Request-Id", value],
    ["X-Request-Id", "a".repeat(500)],
    ["Host", value],
    ["X-Forwarded-For", value],
    ["X-HTTP-Method-Override", "DELETE"],
    ["Idempotency-Key", value],
    ["Accept", "text/html"],
    ["Accept-Encoding", "br, gzip;q=0"],
    ["Range", "bytes=0-0"],
    ["If-None-Match", "*"],
    ["Cookie", `a=${value}`],
    ["Origin", "null"],
    ["__proto__", value],
    ["X-Large", "x".repeat(random.pick([100, 30_000, 40_000]))],
    ["Upgrade", "websocket"],
    ["Content-Type", value],
  ];
  return Array.from({ length: random.whole(1, 3) }, () => random.pick(choices));
}

type Body = { body: string | Buffer; more: [string, string][] };

function bodyOf(random: Random, schema: Schema, known: Known, bent: boolean, as: Asker): Body {
  const json: [string, string][] = [["Content-Type", "application/json"]];
  const good = goodValue(random, "", schema, known) as Record<string, unknown>;
  // What stays off the chain says whose it is in each of its words: nobody else may ever read them.
  const secret = as === "tenant-b" || (as === "tenant-a" && random.chance(0.5));
  if (secret && "author" in good) Object.assign(good, known.mark);
  if (!bent) return { body: JSON.stringify(good), more: json };
  const names = Object.keys(good);
  if (random.chance(0.6) && names.length > 0) {
    const name = random.pick(names);
    if (random.chance(0.2)) delete good[name];
    else if (random.chance(0.1)) good[`${name}s`] = good[name];
    else good[name] = hostileValue(random);
    return { body: JSON.stringify(good), more: json };
  }
  return strangeBody(random, JSON.stringify(good), json);
}

function strangeBody(random: Random, good: string, json: [string, string][]): Body {
  const bytes = Buffer.from(good);
  const at = random.whole(0, Math.max(0, bytes.length - 1));
  const own = (key: string) => good.replace("{", `{"${key}":{"polluted":1}${good === "{}" ? "" : ","}`);
  const typed = (type: string): [string, string][] => [["Content-Type", type]];
  const packed = gzipSync(random.chance(0.2) ? Buffer.alloc(5_000_000, " ") : good);
  return random.pick<() => Body>([
    () => ({ body: JSON.stringify(hostileValue(random)) ?? "", more: json }),
    () => ({
      body: own(random.pick(["__proto__", "constructor", "prototype", "toString", "x"])),
      more: json,
    }),
    () => ({ body: Buffer.concat([bytes.subarray(0, at), random.bytes(3), bytes.subarray(at)]), more: json }),
    () => ({ body: good.slice(0, at), more: json }),
    () => ({ body: good + good, more: json }),
    () => ({ body: `\ufeff${good}`, more: json }),
    () => ({ body: Buffer.from(good, "utf16le"), more: json }),
    () => ({ body: "[".repeat(random.pick([10, 5_000, 100_000])), more: json }),
    () => ({ body: `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, more: json }),
    () => ({
      body: good.replace("{", `{${Array.from({ length: 3_000 }, (_, key) => `"k${key}":1,`).join("")}`),
      more: json,
    }),
    () => ({ body: " ".repeat(random.pick([262_143, 262_144, 262_145, 400_000])), more: json }),
    () => ({
      body: good,
      more: typed(
        random.pick(["text/plain", "application/json; charset=utf-16", "", "a/b", "application/json5"]),
      ),
    }),
    () => ({ body: packed, more: [...json, ["Content-Encoding", "gzip"]] }),
    () => ({ body: packed.subarray(0, 10), more: [...json, ["Content-Encoding", "gzip"]] }),
    () => ({
      body: good,
      more: [...json, ["Content-Encoding", random.pick(["br", "gzip, gzip", "deflate", "rot13"])]],
    }),
  ])();
}
