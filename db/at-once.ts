import pg from "pg";
import { type Database, inTransaction, isDirect, type Pool } from "./pool.ts";
import {
  ask,
  isForgetful,
  isStatementLost,
  isTransaction,
  noteLost,
  type Statement,
  statement,
} from "./statement.ts";

type Value = string | number | boolean | Buffer | null;
/** A statement with its values. */
export type Bound = readonly [statement: Statement, values: readonly Value[]];
/** The rows of each statement, in their order. */
type Answers = Record<string, unknown>[][];

/**
 * Runs statements in one transaction that goes to the database and back in one piece: instead of five times for
 * `begin`, two statements, `commit` and their answers. None sees what an earlier one answered, each sees what it
 * did. All of it is stored, or nothing; for what is to be decided in between there is `inTransaction`, inside of
 * which they go one by one.
 *
 * A lock is waited for no longer than a caller waits for an answer, so that what was called failed is not stored.
 */
export async function atOnce(db: Database, statements: readonly Bound[]): Promise<Answers> {
  if (!isTransaction(db)) {
    const pool = db as Pool;
    // Behind a pooler a transaction has more to set than fits before them.
    if (await isDirect(pool)) return inOnePiece(pool, statements);
    return inTransaction(pool, (tx) => atOnce(tx, statements));
  }
  const answers: Answers = [];
  for (const [one, values] of statements) answers.push(await ask(db, one, [...values]));
  return answers;
}

async function inOnePiece(pool: Pool, statements: readonly Bound[]): Promise<Answers> {
  if (pool.guard !== undefined) throw new Error("A transaction of this pool has to prove something first");
  const all = [[patience, []] as const, ...statements];
  const run = () => runTogether(pool, isForgetful(pool) ? all.map(unnamed) : all);
  const answers = await run().catch((error: unknown) => {
    if (!isStatementLost(error)) throw error;
    noteLost(pool, error);
    return run();
  });
  return answers.slice(1);
}

const patience = statement("select set_config('lock_timeout', '2s', true)");

const unnamed = ([{ text }, values]: Bound): Bound => [{ name: "", text }, values];

async function runTogether(pool: Pool, statements: readonly Bound[]): Promise<Answers> {
  // Its types know of no answer to several statements.
  const results = (await (pool.query(new Together(statements)) as unknown)) as { rows: Answers[number] }[];
  return results.map(({ rows }) => rows);
}

/** What of a connection its types do not tell. */
type Wire = {
  /** Text of each statement that this connection has, by its name. */
  parsedStatements: Record<string, string | undefined>;
  parse(statement: Statement): void;
  bind(bound: { statement: string; values: readonly Value[]; valueMapper: typeof inText }): void;
  describe(what: { type: "P"; name: "" }): void;
  execute(what: { portal: "" }): void;
  sync(): void;
} & Pick<pg.Connection, "stream" | "on" | "removeListener">;

/**
 * Several statements of the extended protocol before one Sync, which ends the transaction that the first began.
 * Everything else, such as reading rows, is node-postgres's own.
 */
class Together extends pg.Query {
  readonly #statements: readonly Bound[];

  constructor(statements: readonly Bound[]) {
    super({ text: "several statements" });
    this.#statements = statements;
  }

  override submit = (connection: pg.Connection): null => {
    const wire = connection as unknown as Wire;
    const parsing: Statement[] = [];
    // An error later on takes back what was done, and leaves the statements that were parsed by then.
    const onParsed = () => {
      const parsed = parsing.shift();
      if (parsed !== undefined && parsed.name !== "") wire.parsedStatements[parsed.name] = parsed.text;
    };
    wire.on("parseComplete", onParsed);
    // Of a query that failed the pool closes the connection.
    this.once("end", () => wire.removeListener("parseComplete", onParsed));
    wire.stream.cork();
    for (const [{ name, text }, values] of this.#statements) {
      if (name === "" || wire.parsedStatements[name] === undefined) {
        parsing.push({ name, text });
        wire.parse({ name, text });
      }
      wire.bind({ statement: name, values, valueMapper: inText });
      wire.describe({ type: "P", name: "" });
      wire.execute({ portal: "" });
    }
    wire.sync();
    wire.stream.uncork();
    return null;
  };
}

/** Bytes go as they are. */
const inText = (value: Value): string | Buffer | null =>
  value === null || Buffer.isBuffer(value) ? value : String(value);
