import pg from "pg";
import { createDatabase } from "../database/postgres.ts";

/** From this estimate on, stock PostgreSQL compiles a statement before it runs it. */
export const jitAboveCost = 100_000;

/** Every distinct statement that db/ has sent in this process, and the line that sent it. */
const sent = new Map<string, string>();

export const sentStatements: ReadonlyMap<string, string> = sent;

/** Lines of these pass on what others ask. */
const passesOn =
  /node_modules|node:|support\/runner\/statement-costs|\/db\/core\/(answer-limit|pool|session|statement)\.ts/;

function note(asked: unknown): void {
  const { text } = typeof asked === "string" ? { text: asked } : ((asked ?? {}) as { text?: unknown });
  if (typeof text !== "string" || sent.has(text) || !isPlanned(text)) return;
  const lines = (new Error().stack ?? "").split("\n").filter((line) => /\.ts:\d/.test(line));
  const sender = /\/db\/[\w/-]+\.ts:\d+/.exec(lines.find((line) => !passesOn.test(line)) ?? "")?.[0];
  if (sender?.startsWith("/db/")) sent.set(text, sender);
}

const isPlanned = (text: string) => /^\s*(select|insert|update|delete|with|values|\()/i.test(text);

function noteStatements(): void {
  for (const target of [pg.Client.prototype, pg.Pool.prototype] as { query: unknown }[]) {
    const query = target.query as (...given: unknown[]) => unknown;
    target.query = function noted(this: unknown, ...given: unknown[]) {
      note(given[0]);
      return query.apply(this, given);
    };
  }
  // Of several statements in one piece each is parsed by itself. Their names tell those of the product.
  type Parsed = { name: string; text: string };
  const wire = pg.Connection.prototype as unknown as { parse(statement: Parsed, ...rest: unknown[]): void };
  const { parse } = wire;
  wire.parse = function noted(statement, ...rest) {
    const { name, text } = statement;
    if (/^s[0-9a-f]{24}$/.test(name) && isPlanned(text) && !sent.has(text))
      sent.set(text, "several in one piece");
    return parse.call(this, statement, ...rest);
  };
}

export type Cost = { text: string; sender: string; cost: number };

/** What PostgreSQL expects statements to cost, whatever values they are given. */
export async function estimate(
  client: pg.ClientBase,
  statements: Iterable<readonly [text: string, sender: string]>,
): Promise<Cost[]> {
  const costs: Cost[] = [];
  await client.query("set plan_cache_mode = force_generic_plan");
  for (const [text, sender] of statements) {
    // Those of a test are about tables of its own, which are gone.
    if (/\bpublic\./.test(text)) continue;
    const values = new Set(text.match(/\$\d+/g)).size;
    try {
      await client.query(`prepare asked as ${text}`);
    } catch (error) {
      if (sender === "several in one piece" || (error as pg.DatabaseError).code === "42601") continue;
      throw new Error(`${sender}: ${(error as Error).message}\n${text}`);
    }
    const given = values === 0 ? "" : `(${Array(values).fill("null")})`;
    const { rows } = await client.query(`explain (format json) execute asked${given}`);
    await client.query("deallocate asked");
    costs.push({ text, sender, cost: rows[0]["QUERY PLAN"][0].Plan["Total Cost"] });
  }
  return costs;
}

/** Takes away what PostgreSQL knows of the tables: as they are before anybody analysed them. */
export async function forgetStatistics(client: pg.ClientBase): Promise<void> {
  await client.query(`
    update pg_class set reltuples = -1, relpages = 0, relallvisible = 0
    where relkind in ('r', 'i') and relnamespace in ('chain'::regnamespace, 'service'::regnamespace)`);
}

/** The index that is served, beside the one being built, as it is called inside a rebuild. */
async function addLiveIndex(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'chain'::regnamespace and relkind = 'r'",
  );
  await client.query("create schema chain_live");
  for (const { name } of rows) {
    await client.query(`create table chain_live.${name} (like chain.${name} including all)`);
  }
}

const tooDear = (costs: readonly Cost[]): string[] =>
  costs
    .filter(({ cost }) => cost >= jitAboveCost)
    .map(({ cost, sender, text }) => `${Math.round(cost)} ${sender}: ${text.replaceAll(/\s+/g, " ")}`);

/** Estimates of all that was sent, on an empty schema: as migrations leave it, and with no statistics at all. */
export async function findDearStatements(statements = sentStatements): Promise<string[]> {
  const database = await createDatabase({ unused: true });
  const client = new pg.Client({ connectionString: database.url });
  try {
    await client.connect();
    await addLiveIndex(client);
    const analysed = tooDear(await estimate(client, statements));
    await forgetStatistics(client);
    return [...analysed, ...tooDear(await estimate(client, statements))];
  } finally {
    await client.end();
    await database.drop();
  }
}

export const mochaHooks = {
  beforeAll: noteStatements,
  /** Whatever a test made the product send must be too cheap to be compiled, on a database that is new. */
  async afterAll() {
    if (sent.size === 0) return;
    const dear = await findDearStatements();
    if (dear.length > 0) throw new Error(`Statements that stock PostgreSQL compiles:\n${dear.join("\n")}`);
  },
};
