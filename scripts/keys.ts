import { randomBytes, randomUUID } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { parseArgs } from "node:util";
import { readConfig } from "../config.ts";
import { openPool, type Pool } from "../db/core/pool.ts";
import {
  insertKey,
  type KeyScope,
  keyChanges,
  keyDigest,
  keyScopes,
  listKeys,
  revokeKey,
  rotateKey,
  usualScopes,
} from "../db/service/api-keys.ts";
import { readReady } from "./session/service.ts";
import { databaseProblem } from "./terminal/database-problem.ts";

const usage = `Usage: npm run keys -- create <tenant> [<name>] [--scope <scopes>]
                                       makes a key and shows it, this once; <scopes> are some of read, write
                                       and webhooks, such as read,webhooks; without --scope: read,write
       npm run keys -- list            all keys: never the keys themselves
       npm run keys -- revoke <id>     ends a key at once
       npm run keys -- rotate <id> [--overlap 24h]
                                       gives a key another secret and shows it, this once; the old one ends
                                       now, or after the overlap (30m, 24h, 7d)
       npm run keys -- log [<id>]      who changed which key when

API keys of the database that DATABASE_URL names, else of the one that \`npm start\`
runs. A tenant is who holds the keys: it sees its own pending requests and nobody else's.`;

class UsageError extends Error {}

type Options = { scope: string | undefined; overlap: string | undefined };

/** Options that a command takes; all others are refused. */
const takes: Record<string, keyof Options> = { create: "scope", rotate: "overlap" };

const commands: Record<string, (pool: Pool, words: string[], options: Options) => Promise<void>> = {
  async create(pool, [tenant, name = "", ...rest], { scope }) {
    if (tenant === undefined || rest.length > 0) throw new UsageError(usage);
    if (!/^[A-Za-z0-9._-]{1,64}$/.test(tenant)) {
      throw new UsageError("A tenant's name has 1 to 64 letters, digits, dots, dashes or underscores.");
    }
    const scopes = readScopes(scope);
    const key = newSecret();
    const id = randomUUID();
    await insertKey(pool, { id, tenant, name, digest: keyDigest(key), scopes }, actor());
    showKey({ id, tenant, key });
  },

  async list(pool, words) {
    if (words.length > 0) throw new UsageError(usage);
    const keys = await listKeys(pool);
    if (keys.length === 0) console.log("There are no keys in the database.");
    for (const { id, tenant, name, scopes, createdAt, lastUsedAt, previousUntil, revokedAt } of keys) {
      const used = lastUsedAt === undefined ? "never used" : `last used ${lastUsedAt.toISOString()}`;
      const end = revokedAt === undefined ? "valid" : `revoked ${revokedAt.toISOString()}`;
      const overlaps = revokedAt === undefined && previousUntil !== undefined && previousUntil > new Date();
      const old = overlaps ? [`old secret until ${previousUntil.toISOString()}`] : [];
      const created = `created ${createdAt.toISOString()}`;
      console.log([id, tenant, name || "-", scopes.join(), created, used, end, ...old].join("  "));
    }
  },

  async revoke(pool, [id, ...rest]) {
    if (id === undefined || rest.length > 0) throw new UsageError(usage);
    if (!isId(id) || !(await revokeKey(pool, id, actor()))) throw noSuchKey(id);
    console.log(`Revoked ${id}.`);
  },

  async rotate(pool, [id, ...rest], { overlap }) {
    if (id === undefined || rest.length > 0) throw new UsageError(usage);
    const overlapSeconds = readOverlap(overlap);
    const key = newSecret();
    const change = { id, digest: keyDigest(key), overlapSeconds };
    const rotated = isId(id) ? await rotateKey(pool, change, actor()) : undefined;
    if (rotated === undefined) throw noSuchKey(id);
    showKey({ id, tenant: rotated.tenant, key });
    const { previousUntil } = rotated;
    console.log(
      previousUntil === undefined
        ? "The old one has ended."
        : `The old one works until ${previousUntil.toISOString()}.`,
    );
  },

  async log(pool, [id, ...rest]) {
    if (rest.length > 0) throw new UsageError(usage);
    if (id !== undefined && !isId(id)) throw new UsageError(`${id} is no id of a key.`);
    for (const { at, keyId, change, actor: who, details } of await keyChanges(pool, id)) {
      console.log([at.toISOString(), keyId, change, `by ${who}`, JSON.stringify(details)].join("  "));
    }
  },
};

const newSecret = (): string => randomBytes(32).toString("base64url");
const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
const noSuchKey = (id: string) => new UsageError(`There is no valid key with the id ${id}.`);

function showKey({ id, tenant, key }: { id: string; tenant: string; key: string }): void {
  console.log(
    `id      ${id}\ntenant  ${tenant}\nkey     ${key}\n\nThe key is shown this once and stored nowhere.`,
  );
}

/** Who changes a key: user and host of the operating system. */
const actor = (): string => `${userInfo().username}@${hostname()}`;

function readScopes(text: string | undefined): KeyScope[] {
  if (text === undefined) return [...usualScopes];
  const named = text.split(",");
  const scopes = keyScopes.filter((scope) => named.includes(scope));
  if (scopes.length === named.length) return scopes;
  throw new UsageError("Scopes are read, write and webhooks: one, or several separated by commas.");
}

function readOverlap(text: string | undefined): number {
  if (text === undefined) return 0;
  const [, count = "", unit = ""] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  const seconds = Number(count) * ({ m: 60, h: 3_600, d: 86_400 }[unit] ?? 0);
  if (seconds > 0 && seconds <= 90 * 86_400) return seconds;
  throw new UsageError("An overlap is a time like 30m, 24h or 7d, at most 90d.");
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      help: { type: "boolean", short: "h" },
      scope: { type: "string" },
      overlap: { type: "string" },
    },
    allowPositionals: true,
  });
  if (values.help) return console.log(usage);
  const [name = "", ...words] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new UsageError(usage);
  const { scope, overlap } = values;
  for (const [option, value] of Object.entries({ scope, overlap })) {
    if (value !== undefined && takes[name] !== option) throw new UsageError(usage);
  }
  const { url, remedy } = findDatabase();
  const pool = openPool(url, { application: "keys", max: 1 });
  try {
    await command(pool, words, { scope, overlap });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new Error(databaseProblem(error, url, remedy), { cause: error });
  } finally {
    await pool.end();
  }
}

function findDatabase(): { url: string; remedy: string } {
  const { DATABASE_URL, DATA_DIR } = readConfig(process.env);
  const embedded = DATABASE_URL === undefined ? readReady(DATA_DIR)?.databaseUrl : undefined;
  if (embedded !== undefined)
    return { url: embedded, remedy: "start `npm start` again, or set DATABASE_URL" };
  return { url: readConfig(process.env, ["DATABASE_URL"]).DATABASE_URL, remedy: "check DATABASE_URL" };
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
