import type { Address, Hash, Hex } from "viem";
import { ScannedLog } from "./scanned-log.ts";

/** A log of the registry, its place checked for form; texts inside are still raw bytes. */
export type Log = {
  blockNumber: number;
  blockHash: Hash;
  transactionHash: Hash;
  transactionIndex: number;
  logIndex: number;
  topics: Hex[];
  data: Uint8Array;
};

/** What is wrong with an answer, in words that follow the name of the field. */
export class LogFormError extends Error {
  override readonly name = "LogFormError";
}

/**
 * Checks an answer of `eth_getLogs` and picks out the registry's logs, in the order of the chain. Logs of
 * other contracts are not ours to read, whatever the node thinks that we asked, so not even their form counts.
 *
 * Written by hand: it runs once for each log of a backfill, where a schema of objects takes a tenth of all time.
 * @throws LogFormError naming the field that cannot be used
 */
export function parseLogs(answer: unknown, registry: Address): Log[] {
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
    const log = raw instanceof ScannedLog ? raw : parse(raw);
    if (last !== undefined && compare(last, log) > 0) ordered = false;
    logs.push(log);
    last = log;
  }
  if (!ordered) logs.sort(compare);
  for (const [index, log] of logs.entries()) {
    const before = logs[index - 1];
    if (before !== undefined && compare(before, log) === 0) throw new LogFormError("names one place twice");
  }
  return logs;
}

type RawLog = Partial<Record<keyof Log | "address" | "removed", unknown>>;

const compare = (a: Log, b: Log) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex;

/** Neighbours share their block and often their transaction: what was checked just now is not checked again. */
function createLogParser(): (raw: RawLog) => Log {
  const blockHash = cached("blockHash", parseHash);
  const transactionHash = cached("transactionHash", parseHash);
  const blockNumber = cached("blockNumber", parseCount);
  const transactionIndex = cached("transactionIndex", parseCount);
  return (raw) => {
    if (raw.removed === true) throw new LogFormError("removed is true");
    return {
      blockNumber: blockNumber(raw.blockNumber),
      blockHash: blockHash(raw.blockHash),
      transactionHash: transactionHash(raw.transactionHash),
      transactionIndex: transactionIndex(raw.transactionIndex),
      logIndex: parseCount(raw.logIndex, "logIndex"),
      topics: parseTopics(raw.topics),
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

const quantity = /^0x[0-9a-fA-F]{1,14}$/;

function parseCount(value: unknown, name: string): number {
  if (typeof value === "string" && quantity.test(value)) {
    const count = Number.parseInt(value, 16);
    if (Number.isSafeInteger(count)) return count;
  }
  throw new LogFormError(`${name} is no number below 2^53`);
}

function parseTopics(value: unknown): Hex[] {
  if (!Array.isArray(value) || value.length > 4) throw new LogFormError("topics is no list of up to four");
  return (value as unknown[]).map((topic) => parseHash(topic, "topics"));
}

function parseData(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (typeof value === "string" && value.length % 2 === 0 && value.startsWith("0x")) {
    const bytes = Buffer.from(value.slice(2), "hex");
    // Reading hex ends at the first character that is no digit.
    if (bytes.length === (value.length - 2) >> 1) return bytes;
  }
  throw new LogFormError("data is no hex");
}
