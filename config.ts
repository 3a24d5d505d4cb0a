import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { type Hex, parseEther, parseGwei } from "viem";
import { z } from "zod";
import { productionProblems } from "./config/production.ts";
import { parseAddress } from "./domain/address.ts";
import { urlBase } from "./domain/url/base.ts";
import { databaseUrlProblem } from "./domain/url/database-url.ts";

/**
 * Every environment variable of the product: read, parsed and documented here, once.
 * The tables of docs/operating.md are compared with `settings` by a test.
 */

/**
 * Exit code of an API or indexer that cannot work with its settings, so that starting it again is no use: EX_CONFIG
 * of sysexits.h. A supervisor may look at it (systemd's RestartPreventExitStatus).
 */
export const WRONG_SETTING_EXIT_CODE = 78;

export type ApiKeySetting = { tenant: string; key: string };

/** `CONFIRMATIONS`: blocks that must stand on a block, itself included, or the chain's `finalized` tag. */
export type Confirmations = number | "finalized";

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, "must be a whole number")
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`);

const url = (...protocols: string[]) =>
  z.string().refine(
    (text) => {
      const { protocol } = URL.parse(text) ?? {};
      return protocol !== undefined && protocols.includes(protocol) && /^[a-z]+:\/\//i.test(text);
    },
    `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`,
  );

const databaseUrl = z.string().superRefine((text, context) => {
  const problem = databaseUrlProblem(text) ?? missingFile(text);
  if (problem !== undefined) context.addIssue(problem);
});

/** The driver reads the certificates that the URL names, and must find them. */
function missingFile(text: string): string | undefined {
  const parameters = new URLSearchParams(text.slice(text.indexOf("?") + 1));
  for (const name of ["sslrootcert", "sslcert", "sslkey"]) {
    const file = parameters.get(name);
    if (file && !existsSync(file)) return `names a file in ${name} that does not exist`;
  }
  return undefined;
}

const isHttp = (text: string): boolean => /^https?:/i.test(text);

const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(", ")}` });

const apiKeys = z.string().transform((text, context): ApiKeySetting[] => {
  const keys: ApiKeySetting[] = [];
  for (const entry of text.split(",").map((part) => part.trim())) {
    const [, tenant, key] = /^([A-Za-z0-9._-]{1,64}):(\S{24,256})$/.exec(entry) ?? [];
    if (tenant === undefined || key === undefined) {
      context.addIssue("must be tenant:key pairs separated by commas, each key at least 24 characters");
      return z.NEVER;
    }
    keys.push({ tenant, key });
  }
  return keys;
});

const listOf = (text: string): string[] => text.split(",").map((part) => part.trim());

/** How many proxies stand in front, or the addresses and networks (CIDR) that they have. */
const proxies = z.string().transform((text, context): number | string[] => {
  if (/^\d+$/.test(text)) {
    if (Number(text) >= 1 && Number(text) <= 10) return Number(text);
  } else if (listOf(text).every(isNetwork)) return listOf(text);
  context.addIssue(
    "must be the number of proxies in front (1 to 10), or their addresses or networks separated by commas, such as 10.0.0.0/8",
  );
  return z.NEVER;
});

/** An address, or a network that is not the whole internet: whoever trusted that would believe everybody. */
function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  if (bits === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits);
}

const networks = z
  .string()
  .transform(listOf)
  .refine(
    (list) => list.every(isNetwork),
    "must be addresses or networks separated by commas, such as 10.0.0.0/8",
  );

const issuers = z
  .string()
  .transform(listOf)
  .pipe(z.array(url("http:", "https:")))
  .refine((list) => new Set(list).size === list.length, "names an issuer twice");

/** Compared with the header Origin to the letter, so they must be as a browser writes them. */
const origins = z
  .string()
  .transform(listOf)
  .refine(
    (list) => list.every((text) => /^https?:[^*]*$/.test(text) && URL.parse(text)?.origin === text),
    "must be origins separated by commas, each as a browser writes it, such as https://app.example or http://localhost:5173: no *, no path, no slash at the end",
  );

const audiences = z
  .string()
  .transform(listOf)
  .refine((list) => !list.includes(""), "must not have an empty part");

const claims = z
  .string()
  .transform(listOf)
  .refine(
    (list) => list.every((name) => /^[\x21-\x7e]{1,128}$/.test(name)),
    "must be the name of a claim, such as sub or oid, or one for each issuer separated by commas",
  );

const clients = z
  .string()
  .transform(listOf)
  .refine((list) => !list.includes(""), "must be client ids separated by commas, none of them empty");

/** For pages and wallets of anybody, so it must hold nothing that is secret. */
const publishedUrl = url("http:", "https:").refine((text) => {
  const { username, password } = URL.parse(text) ?? {};
  return !username && !password;
}, "must hold no user name and no password: everybody is told it");

/** The database refuses to remove what is a month old or less. */
const keptDays = z.union([z.literal("0").transform(Number), integer(31, 36_500)], {
  error: "must be 0, or from 31 to 36500",
});

const address = z.string().transform((text, context) => {
  const parsed = parseAddress(text);
  if (typeof parsed !== "string") {
    context.addIssue(parsed.problem);
    return z.NEVER;
  }
  return parsed;
});

const privateKey = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "must be a private key: 0x and 64 hex digits")
  .transform((key) => key as Hex);

const ether = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,18})?$/, "must be an amount such as 0.1")
  .transform((amount) => parseEther(amount));

const gwei = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,9})?$/, "must be an amount such as 500")
  .transform((amount) => parseGwei(amount))
  .refine((amount) => amount > 0n, "must be more than 0");

type Setting = { schema: z.ZodType<unknown, string>; default?: string; means: string };

/** Name, default and meaning of each variable. An empty value counts as unset. */
export const settings = {
  PORT: { schema: integer(1, 65_535), default: "3000", means: "port of the API" },
  HOST: {
    schema: z
      .string()
      .refine((text) => isIP(text) !== 0 || text === "localhost", "must be an IP address or localhost"),
    default: "127.0.0.1",
    means: "address that the API listens on; 0.0.0.0 opens it to the network",
  },
  DATABASE_URL: {
    schema: databaseUrl,
    means:
      "PostgreSQL 15 or later; unset: `npm start` runs one in DATA_DIR. `?prepared_statements=off` behind a pooler that loses them",
  },
  RPC_URL: {
    schema: z
      .string()
      .transform((text) => text.split(",").map((part) => part.trim()))
      .pipe(z.array(url("http:", "https:", "ws:", "wss:")))
      .refine((urls) => urls.some(isHttp), "must hold a URL that starts with http:// or https://")
      // Whoever needs a single node takes the first one.
      .transform((urls) => [...urls.filter(isHttp), ...urls.filter((text) => !isHttp(text))]),
    means:
      "JSON-RPC URLs of the chain, separated by commas: the first that answers is used; `ws:` or `wss:` beside them announces new blocks; unset: `npm start` runs a local chain",
  },
  REGISTRY_ADDRESS: {
    schema: address,
    means: "address of the deployed registry; unset: `npm start` deploys one",
  },
  START_BLOCK: {
    schema: integer(0, Number.MAX_SAFE_INTEGER),
    default: "0",
    means: "block at or before the registry's deployment, where indexing begins",
  },
  CONFIRMATIONS: {
    schema: z.union([z.literal("finalized"), integer(1, 10_000)], {
      error: "must be a whole number from 1 to 10000, or finalized",
    }),
    default: "5",
    means:
      "blocks until a state is final, the transaction's own included, or `finalized`; what is final stays so when it is set higher",
  },
  API_KEYS: { schema: apiKeys, means: "`tenant:key,…` accepted besides the keys in the database" },
  OIDC_ISSUER: {
    schema: issuers,
    means:
      "issuers of the users' identity tokens, comma-separated; unset: `npm start` runs a provider for development",
  },
  OIDC_AUDIENCE: {
    schema: audiences,
    default: "asset-registry",
    means: "audience that an identity token must name; comma-separated: one for each issuer, in their order",
  },
  OIDC_USER_CLAIM: {
    schema: claims,
    default: "sub",
    means:
      "claim of a token that names the user for good, such as `oid` for Azure AD B2C; comma-separated: one for each issuer, in their order",
  },
  OIDC_AUTHORIZED_PARTIES: {
    schema: clients,
    means:
      "ids of the clients whose tokens are taken (claim `azp`, `client_id`, `cid` or `appid`), comma-separated; unset: the audience alone decides",
  },
  OIDC_CLIENT_ID: {
    schema: z.string().regex(/^[\x21-\x7e]{1,256}$/, "must be the id of a client, without spaces"),
    means:
      "public client, at the first issuer, by which people sign in to the console; unset: nobody does, unless `npm start` runs the provider",
  },
  PUBLIC_URL: {
    schema: url("http:", "https:"),
    means: "URL under which users reach the API; default: HOST and PORT",
  },
  LOG_LEVEL: {
    schema: oneOf(["fatal", "error", "warn", "info", "debug", "silent"]),
    default: "info",
    means: "least severe messages that are logged",
  },
  REQUEST_TTL: {
    schema: integer(10, 31_536_000),
    default: "604800",
    means: "seconds that an unsigned request waits for its author",
  },
  SIGNATURE_TTL: {
    schema: integer(120, 31_536_000),
    default: "1800",
    means:
      "seconds that a gasless signature is good for, between half of that and all of it: once sent it is public, and anybody may send it again",
  },
  POLL_INTERVAL: {
    schema: integer(50, 600_000),
    default: "1000",
    means: "milliseconds between two looks at the chain",
  },
  RATE_LIMIT: {
    schema: integer(0, 1_000_000_000),
    default: "6000",
    means: "requests in a minute with one API key; 0: no limit",
  },
  RATE_LIMIT_ADDRESS: {
    schema: integer(0, 1_000_000_000),
    default: "600",
    means: "requests in a minute from one address (IPv6: one /64) without a valid API key; 0: no limit",
  },
  RATE_LIMIT_PUBLIC: {
    schema: integer(0, 1_000_000_000),
    default: "300",
    means: "requests to public operations in a minute from one address; 0: no limit",
  },
  RATE_LIMIT_FAILURES: {
    schema: integer(0, 1_000_000_000),
    default: "30",
    means: "wrong API keys and tokens in a minute from one address; 0: no limit",
  },
  MAX_OPEN_REQUESTS: {
    schema: integer(0, 1_000_000_000),
    default: "10000",
    means: "requests that one tenant may have waiting for their authors; 0: no limit",
  },
  MAX_STREAMS: {
    schema: integer(1, 5_000),
    default: "100",
    means:
      "streams of events that one API key, or one address without a key, may have open on each API process, which holds 5,000 in all, at most half of them without key and token",
  },
  AUDIT_DAYS: {
    schema: keptDays,
    default: "730",
    means: "days for which the audit trail is kept, 31 at least; 0: for ever",
  },
  EVENT_DAYS: {
    schema: keptDays,
    default: "90",
    means: "days for which the log of events is kept, 31 at least; 0: for ever",
  },
  WEBHOOK_WORKERS: {
    schema: integer(0, 1_000),
    default: "32",
    means:
      "deliveries to webhooks that an API process begins at once; 0: none, so that other processes do it. Receivers that take long count among these for 0.3 seconds alone",
  },
  WEBHOOK_ALLOW_NETWORKS: {
    schema: networks,
    means:
      "networks beside the public internet that receivers of webhooks may be in, comma-separated, such as `10.0.0.0/8`: with `http:` and on any port; unset: none",
  },
  INDEXER_PORT: {
    schema: integer(1, 65_535),
    means:
      "port on which the indexer serves `/health`, `/ready` and `/metrics` of its own process, such as 9464; unset: none",
  },
  INDEXER_HOST: {
    schema: z
      .string()
      .refine((text) => isIP(text) !== 0 || text === "localhost", "must be an IP address or localhost"),
    default: "127.0.0.1",
    means: "address that the indexer listens on for them; 0.0.0.0 opens them to the network",
  },
  METRICS_TOKEN: {
    schema: z.string().regex(/^[\x21-\x7e]{24,256}$/, "must be 24 to 256 ASCII characters without spaces"),
    means:
      "bearer token, of at least 24 characters, without which `GET /metrics` is refused; unset: open to everybody",
  },
  CORS_ORIGINS: {
    schema: origins,
    means:
      "origins whose pages may call the API from a browser, comma-separated, such as `https://app.example`; unset: none",
  },
  TRUST_PROXY: {
    schema: proxies,
    means:
      "proxies in front that tell the caller's address in `X-Forwarded-For`: how many, or their addresses and networks, comma-separated; unset: the header is not looked at",
  },
  KEEP_ALIVE_TIMEOUT: {
    schema: integer(1, 3_600),
    default: "65",
    means:
      "seconds that a connection waits for its next request: longer than the balancer in front keeps it, so that it is never the API that closes first",
  },
  LEASE_SECONDS: {
    schema: integer(1, 20),
    default: "15",
    means: "seconds without a heartbeat after which another indexer takes over",
  },
  DATA_DIR: {
    schema: z.string().min(1),
    default: ".data",
    means: "folder of the database and the credentials that `npm start` makes",
  },
  CHAIN_NAME: {
    schema: z.string().regex(/^[\p{L}\p{N}\p{P}\p{S} ]{1,64}$/u, "must be a name of at most 64 characters"),
    means: "name of the chain in the console and in wallets that add it; unset: its number",
  },
  CHAIN_RPC_URL: {
    schema: publishedUrl,
    means:
      "JSON-RPC URL that the console gives to wallets that do not know the chain, published to everybody; unset: they must know it, unless `npm start` runs the chain",
  },
  CHAIN_EXPLORER_URL: {
    schema: publishedUrl,
    means: "block explorer that the console links transactions and addresses to; unset: none",
  },
  CHAIN_CURRENCY: {
    schema: z.string().regex(/^[A-Za-z0-9]{1,6}$/, "must be 1 to 6 letters and digits, such as ETH"),
    default: "ETH",
    means: "symbol of the currency that the chain's gas is paid in",
  },
  CHAIN_PORT: { schema: integer(1, 65_535), default: "8545", means: "port of the local chain" },
  OIDC_PORT: {
    schema: integer(1, 65_535),
    default: "3001",
    means: "port of the development identity provider",
  },
  DEPLOYER_KEY: {
    schema: privateKey,
    means: "private key that deploys the registry: `npm run deploy`, or `npm start` without REGISTRY_ADDRESS",
  },
  RELAYER_KEY: {
    schema: privateKey,
    means:
      "private key of an account that pays for what authors sign gasless, and does nothing else; read by the indexer alone; unset: nothing is relayed",
  },
  RELAYER_DAILY_BUDGET: {
    schema: ether,
    default: "0.1",
    means: "most that one tenant's requests may cost the relayer in a day (UTC), in the chain's currency",
  },
  RELAYER_MAX_FEE: {
    schema: gwei,
    default: "500",
    means:
      "most that the relayer offers for a unit of gas, in gwei (of the chain's currency); what the chain asks more for waits",
  },
  API_KEY: {
    schema: z.string().min(1),
    means: "API key that `npm run demo` and `npm run sign` use; unset: the one that `npm start` made",
  },
  AUTHOR_KEY: {
    schema: privateKey,
    means: "private key that they sign with; unset: the local chain's funded accounts",
  },
  KEYSTORE_PASSWORD: {
    schema: z.string().min(1),
    means: "password of the file that `npm run sign -- --keystore` names; unset: asked for",
  },
  NODE_ENV: {
    schema: oneOf(["production", "development", "test"]),
    default: "development",
    means: "`production` refuses everything that is made for a developer's machine",
  },
} as const satisfies Record<string, Setting>;

type SettingName = keyof typeof settings;
type Parsed<Name extends SettingName> = z.output<(typeof settings)[Name]["schema"]>;
type WithDefault = {
  [Name in SettingName]: (typeof settings)[Name] extends { default: string } ? Name : never;
}[SettingName];

export type Config = { [Name in WithDefault]: Parsed<Name> } & {
  [Name in Exclude<SettingName, WithDefault>]: Parsed<Name> | undefined;
};

/** The environment cannot be used; the message lists every problem. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: string[];

  constructor(problems: string[]) {
    super(`The configuration cannot be used:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

/**
 * Parses the whole environment. A caller that `runsStandIns` starts a part of its own where none is configured, which
 * production refuses.
 * @throws ConfigError with the full list of bad and missing values; secrets are not repeated in it.
 */
export function readConfig<Required extends SettingName = never>(
  environment: Readonly<Record<string, string | undefined>>,
  required: readonly Required[] = [],
  { runsStandIns = false } = {},
): Config & { [Name in Required]: NonNullable<Config[Name]> } {
  const problems: string[] = [];
  const config: Record<string, unknown> = {};
  const production = environment["NODE_ENV"]?.trim() === "production";
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const text = environment[name]?.trim() || setting.default;
    if (text === undefined) {
      const refused = production ? standIns.get(name) : undefined;
      const needed = required.some((one) => one === name) || (runsStandIns && refused !== undefined);
      if (needed) problems.push(`${name} is missing: ${refused ?? setting.means}`);
      continue;
    }
    const result = setting.schema.safeParse(text);
    if (result.success) config[name] = result.data;
    else problems.push(`${name} ${result.error.issues[0]?.message ?? "cannot be used"}`);
  }
  const { OIDC_ISSUER, OIDC_AUDIENCE, OIDC_USER_CLAIM } = config as Partial<Config>;
  const issuerCount = OIDC_ISSUER?.length ?? 1;
  const fits = (list: readonly string[] = [""]) => list.length === 1 || list.length === issuerCount;
  if (!fits(OIDC_AUDIENCE)) {
    problems.push(
      "OIDC_AUDIENCE must name one audience, or one for each issuer of OIDC_ISSUER in their order",
    );
  }
  if (!fits(OIDC_USER_CLAIM)) {
    problems.push(
      "OIDC_USER_CLAIM must name one claim, or one for each issuer of OIDC_ISSUER in their order",
    );
  }
  const { OIDC_CLIENT_ID: client, OIDC_AUTHORIZED_PARTIES: parties } = config as Partial<Config>;
  if (client !== undefined && parties?.includes(client) === false) {
    problems.push(
      "OIDC_AUTHORIZED_PARTIES must name the client of OIDC_CLIENT_ID too, or its tokens are refused",
    );
  }
  if (production) {
    // Whoever needs to know users answers them.
    const servesUsers = runsStandIns || required.some((one) => one === "OIDC_ISSUER");
    problems.push(...productionProblems(config, servesUsers));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config as Config & { [Name in Required]: NonNullable<Config[Name]> };
}

/** Parts that `npm start` runs where one of these is unset, and why not in production. */
const standIns: ReadonlyMap<string, string> = new Map([
  ["OIDC_ISSUER", "the development identity provider is refused in production"],
  ["RPC_URL", "the local chain is refused in production, it forgets everything when it ends"],
  ["DATABASE_URL", "the embedded database is refused in production"],
]);

/** Each issuer of OIDC_ISSUER; of a list with one entry it is for all, else the one at the same place. */
export function trustedIssuers({
  OIDC_ISSUER,
  OIDC_AUDIENCE,
  OIDC_USER_CLAIM,
  OIDC_AUTHORIZED_PARTIES: authorizedParties,
}: Pick<Config, "OIDC_AUDIENCE" | "OIDC_USER_CLAIM" | "OIDC_AUTHORIZED_PARTIES"> & {
  OIDC_ISSUER: readonly string[];
}) {
  const at = (list: readonly string[], place: number): string => list[place] ?? list[0] ?? "";
  return OIDC_ISSUER.map((issuer, place) => ({
    issuer,
    audience: at(OIDC_AUDIENCE, place),
    userClaim: at(OIDC_USER_CLAIM, place),
    authorizedParties,
  }));
}

/** The URL that users see: PUBLIC_URL, else the address that the API listens on. */
export function publicUrl(config: Config): string {
  const host = isIP(config.HOST) === 6 ? `[${config.HOST}]` : config.HOST;
  return urlBase(config.PUBLIC_URL ?? `http://${host}:${config.PORT}`);
}
