import type { Address, Hash, Hex } from "viem";

/** A log of the registry with a well-formed position; its texts are raw bytes. */
export type Log = {
  blockNumber: number;
  blockHash: Hash;
  transactionHash: Hash;
  transactionIndex: number;
  logIndex: number;
  topics: Hex[];
  data: Uint8Array;
};

/** The problem of an answer, as a phrase after the name of the field. */
export class LogFormError extends Error {
  override readonly name: string = "LogFormError";
}

/** Two different logs have one position. */
export class ConflictingLogsError extends LogFormError {
  override readonly name = "ConflictingLogsError";
}

/**
 * Parses an answer of `eth_getLogs` into the registry's logs, in the order of the chain. Logs of other contracts, removed
 * logs and copies are left out, and null counts as an empty list.
 *
 * Written by hand: it runs once for each log of a backfill, where a schema of objects takes a tenth of all time.
 * @throws LogFormError naming the unusable field
 */
export function parseLogs(answer: unknown, registry: Address): Log[] {
  if (answer === null) return [];
  if (!Array.isArray(answer)) throw new LogFormError("is no list");
  const own = registry.toLowerCase();
  const parse = createLogParser();
  const logs: Log[] = [];
  let ordered = true;
  let last: Log | undefined;
  for (const entry of answer as unknown[]) {
    if (typeof entry !== "object" || entry === null)
      throw new LogFormError("holds an entry that is no object");
    const raw = entry as RawLog;
    if (typeof raw.address !== "string") throw new LogFormError("address is no address");
    if (raw.address !== own && raw.address.toLowerCase() !== own) continue;
    if (raw.removed === true) continue;
    const log = parse(raw);
    if (last !== undefined && compare(last, log) > 0) ordered = false;
    logs.push(log);
    last = log;
  }
  if (!ordered) logs.sort(compare);
  return inPlace(logs);
}

/** Removes copies, and renumbers the logs of a block in which each transaction begins at 0. */
function inPlace(sorted: Log[]): Log[] {
  let copies = false;
  const numberedAnew = new Set<number>();
  for (const [index, log] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before === undefined || before.blockNumber !== log.blockNumber) continue;
    if (before.transactionIndex === log.transactionIndex && before.logIndex === log.logIndex) {
      if (!isSame(before, log)) {
        throw new ConflictingLogsError(
          `it holds two different logs at block ${log.blockNumber}, log index ${log.logIndex}`,
        );
      }
      copies = true;
    } else if (before.logIndex >= log.logIndex) {
      numberedAnew.add(log.blockNumber);
    }
  }
  const logs = copies
    ? sorted.filter((log, index) => index === 0 || !isCopy(sorted[index - 1] as Log, log))
    : sorted;
  if (numberedAnew.size > 0) numberAnew(logs, numberedAnew);
  return logs;
}

const isCopy = (a: Log, b: Log) => compare(a, b) === 0;

const isSame = (a: Log, b: Log): boolean =>
  a.blockHash === b.blockHash &&
  a.transactionHash === b.transactionHash &&
  a.topics.join() === b.topics.join() &&
  Buffer.from(a.data).equals(Buffer.from(b.data));

function numberAnew(logs: readonly Log[], blocks: ReadonlySet<number>): void {
  let last: Log | undefined;
  for (const log of logs) {
    if (!blocks.has(log.blockNumber)) continue;
    log.logIndex = last?.blockNumber === log.blockNumber ? last.logIndex + 1 : 0;
    last = log;
  }
}

type RawLog = Partial<Record<keyof Log | "address" | "removed", unknown>>;

/** Orders logs by block and transaction first, because in some answers each transaction's log indexes begin at 0. */
const compare = (a: Log, b: Log) =>
  a.blockNumber - b.blockNumber || a.transactionIndex - b.transactionIndex || a.logIndex - b.logIndex;

/** Caches the last checked values, since neighbours share block, author and often transaction. */
function createLogParser(): (raw: RawLog) => Log {
  const blockHash = cached("blockHash", parseHash);
  const transactionHash = cached("transactionHash", parseHash);
  const blockNumber = cached("blockNumber", parseCount);
  const transactionIndex = cached("transactionIndex", parseCount);
  const topicsAt = Array.from({ length: mostTopics }, () => cached("topics", parseHash));
  return (raw) => {
    return {
      blockNumber: blockNumber(raw.blockNumber),
      blockHash: blockHash(raw.blockHash),
      transactionHash: transactionHash(raw.transactionHash),
      transactionIndex: transactionIndex(raw.transactionIndex),
      logIndex: parseCount(raw.logIndex, "logIndex"),
      topics: parseTopics(raw.topics, topicsAt),
      data: parseData(raw.data),
    };
  };
}

function cached<Value>(name: string, parse: (value: unknown, name: string) => Value) {
  let before: unknown;
  let parsed: Value | undefined;
  return (value: unknown): Value => {
    if (parsed === undefined || value !== before) {
      parsed = parse(value, name);
      before = value;
    }
    return parsed;
  };
}

const lowerHash = /^0x[0-9a-f]{64}$/;

function parseHash(value: unknown, name: string): Hash {
  if (typeof value === "string") {
    if (lowerHash.test(value)) return value as Hash;
    const lower = value.toLowerCase();
    if (lowerHash.test(lower)) return lower as Hash;
  }
  throw new LogFormError(`${name} is no hash`);
}

/** Some nodes write leading zeros, up to the 32 bytes of a word. */
const quantity = /^0[xX][0-9a-fA-F]{1,64}$/;

function parseCount(value: unknown, name: string): number {
  if (typeof value === "string" && quantity.test(value)) {
    const count = Number.parseInt(value, 16);
    if (Number.isSafeInteger(count)) return count;
  }
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw new LogFormError(`${name} is no number below 2^53`);
}

const mostTopics = 4;

function parseTopics(value: unknown, parseAt: readonly ((topic: unknown) => Hash)[]): Hex[] {
  if (!Array.isArray(value) || value.length > mostTopics)
    throw new LogFormError("topics is no list of up to four");
  return (value as unknown[]).map((topic, index) => (parseAt[index] as (topic: unknown) => Hash)(topic));
}

function parseData(value: unknown): Uint8Array {
  // `Buffer.from` reads only the low eight bits of a character beyond Latin-1.
  if (typeof value === "string" && /^0x/i.test(value) && !/[\u0100-\uffff]/.test(value)) {
    const bytes = Buffer.from(value.slice(2), "hex");
    // Decoding hex stops at the first other character, and before half a byte.
    if (2 * bytes.length === value.length - 2) return bytes;
  }
  throw new LogFormError("data is no hex");
}
