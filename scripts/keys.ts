import { randomBytes, randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { readConfig } from "../config.ts";
import { insertKey, keyDigest, listKeys, revokeKey } from "../db/keys.ts";
import { openPool, type Pool } from "../db/pool.ts";
import { databaseProblem } from "./database-problem.ts";
import { readReady } from "./session/service.ts";

const usage = `Usage: npm run keys -- create <tenant> [<name>]   makes a key and shows it, this once
       npm run keys -- list                      all keys: never the keys themselves
       npm run keys -- revoke <id>               ends a key at once

API keys of the database that DATABASE_URL names, else of the one that \`npm start\`
runs. A tenant is who holds the keys: it sees its own pending requests and nobody else's.`;

class UsageError extends Error {}

const commands: Record<string, (pool: Pool, words: string[]) => Promise<void>> = {
  async create(pool, [tenant, name = "", ...rest]) {
    if (tenant === undefined || rest.length > 0) throw new UsageError(usage);
    if (!/^[A-Za-z0-9._-]{1,64}$/.test(tenant)) {
      throw new UsageError("A tenant's name has 1 to 64 letters, digits, dots, dashes or underscores.");
    }
    const key = randomBytes(32).toString("base64url");
    const id = randomUUID();
    await insertKey(pool, { id, tenant, name, digest: keyDigest(key) });
    console.log(
      `id      ${id}\ntenant  ${tenant}\nkey     ${key}\n\nThe key is shown this once and stored nowhere.`,
    );
  },

  async list(pool, words) {
    if (words.length > 0) throw new UsageError(usage);
    const keys = await listKeys(pool);
    if (keys.length === 0) console.log("There are no keys in the database.");
    for (const { id, tenant, name, createdAt, revokedAt } of keys) {
      const end = revokedAt === undefined ? "valid" : `revoked ${revokedAt.toISOString()}`;
      console.log([id, tenant, name || "-", `created ${createdAt.toISOString()}`, end].join("  "));
    }
  },

  async revoke(pool, [id, ...rest]) {
    if (id === undefined || rest.length > 0) throw new UsageError(usage);
    const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
    if (!isId || !(await revokeKey(pool, id)))
      throw new UsageError(`There is no valid key with the id ${id}.`);
    console.log(`Revoked ${id}.`);
  },
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { help: { type: "boolean", short: "h" } },
    allowPositionals: true,
  });
  if (values.help) return console.log(usage);
  const [name = "", ...words] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new UsageError(usage);
  const { url, remedy } = findDatabase();
  const pool = openPool(url, { application: "keys", max: 1 });
  try {
    await command(pool, words);
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
