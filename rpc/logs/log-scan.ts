import type { Hex } from "viem";
import { decodeHex } from "../../db/core/bytes.ts";
import { ScannedLog } from "./scanned-log.ts";

const byte = (character: string) => character.charCodeAt(0);
const [quote, comma, zero, x] = [byte('"'), byte(","), byte("0"), byte("x")];
const [openList, closeList, open, close] = [byte("["), byte("]"), byte("{"), byte("}")];
const listBegin = Buffer.from('"result":[{');

/** The value of each small hex digit, and 16 for whatever is none. */
const digitOf = new Uint8Array(256).fill(16);
for (const [value, digit] of [..."0123456789abcdef"].entries()) digitOf[byte(digit)] = value;

const names = [
  ...["address", "topics", "data", "blockHash", "blockNumber"],
  ...["transactionHash", "transactionIndex", "logIndex", "removed", "blockTimestamp"],
] as const;
type Name = (typeof names)[number];
const keys = names.map((name) => ({ name, bytes: Buffer.from(`"${name}":`), bit: 1 << names.indexOf(name) }));
/** Those of each first letter, which few share. */
const keysOf: (typeof keys)[] = Array.from({ length: 256 }, () => []);
for (const key of keys) (keysOf[key.bytes[1] as number] as typeof keys).push(key);
const bitOf = (name: Name) => 1 << names.indexOf(name);
const needed = (1 << names.length) - 1 - bitOf("removed") - bitOf("blockTimestamp");

/** A run of logs that stand one after the other in a list. */
export type Run = { start: number; end: number; logs: ScannedLog[] };

/**
 * Reads the logs of an answer straight from its bytes, without the objects and texts that JSON makes of them, as
 * far as they are written as nodes write them: no space, small digits, no key twice or unknown. The first log of a
 * list that is written in another way ends its run; what is not in a run has to be parsed as JSON.
 */
export function scanLogs(body: Buffer, bytes: Buffer): { runs: Run[]; used: number } {
  const runs: Run[] = [];
  const scanner = new Scanner(body, bytes);
  for (let at = body.indexOf(listBegin); at >= 0; at = body.indexOf(listBegin, at)) {
    at += listBegin.length - 1;
    const run: Run = { start: at, end: at, logs: [] };
    for (let more = true; more; ) {
      const log = scanner.log(at);
      if (log === undefined) break;
      run.logs.push(log);
      run.end = scanner.at;
      more = body[run.end] === comma;
      at = run.end + 1;
    }
    if (run.logs.length > 0) runs.push(run);
  }
  return { runs, used: scanner.used };
}

/** What stood at a place of the log before, as a text: neighbours share their contract and their block. */
type Seen = { at: number; text: Hex };

class Scanner {
  readonly #body: Buffer;
  readonly #bytes: Buffer;
  /** Where what was read ends. */
  at = 0;
  /** Bytes that the logs so far have filled, and those of the one that is read now. */
  used = 0;
  #end = 0;

  readonly #address: Seen = { at: 0, text: "0x" };
  readonly #blockHash: Seen = { at: 0, text: "0x" };
  #blockNumber = 0;
  #transactionIndex = 0;
  #logIndex = 0;
  #transaction = 0;
  #topics = 0;
  #topicCount = 0;
  #dataBegin = 0;
  #dataEnd = 0;

  constructor(body: Buffer, bytes: Buffer) {
    this.#body = body;
    this.#bytes = bytes;
  }

  /** @returns undefined where it is written in another way */
  log(start: number): ScannedLog | undefined {
    const body = this.#body;
    if (body[start] !== open) return undefined;
    let found = 0;
    this.#end = this.used;
    this.at = start;
    do {
      this.at += 1;
      const key = this.#readKey();
      if (key === undefined || (found & key.bit) !== 0 || !this.#readField(key.name)) return undefined;
      found |= key.bit;
    } while (body[this.at] === comma);
    if (body[this.at] !== close || (found & needed) !== needed) return undefined;
    this.at += 1;
    this.used = this.#end;
    const place = {
      address: this.#address.text,
      blockNumber: this.#blockNumber,
      blockHash: this.#blockHash.text,
      transactionIndex: this.#transactionIndex,
      logIndex: this.#logIndex,
    };
    const places = [
      this.#transaction,
      this.#topics,
      this.#topicCount,
      this.#dataBegin,
      this.#dataEnd,
    ] as const;
    return new ScannedLog(place, this.#bytes, places);
  }

  #readKey() {
    const [body, at] = [this.#body, this.at];
    for (const key of keysOf[body[at + 1] as number] ?? []) {
      const { bytes } = key;
      let index = 0;
      while (index < bytes.length && bytes[index] === body[at + index]) index += 1;
      if (index < bytes.length) continue;
      this.at = at + index;
      return key;
    }
    return undefined;
  }

  #readField(name: Name): boolean {
    switch (name) {
      case "address":
        return this.#readText(40, this.#address);
      case "blockHash":
        return this.#readText(64, this.#blockHash);
      case "topics":
        return this.#readTopics();
      case "data":
        return this.#readData();
      case "transactionHash":
        this.#transaction = this.#end;
        return this.#readWord();
      case "blockNumber":
        this.#blockNumber = this.#readCount();
        return this.#blockNumber >= 0;
      case "transactionIndex":
        this.#transactionIndex = this.#readCount();
        return this.#transactionIndex >= 0;
      case "logIndex":
        this.#logIndex = this.#readCount();
        return this.#logIndex >= 0;
      case "blockTimestamp":
        return this.#readCount() >= 0;
      case "removed":
        return this.#readFalse();
    }
  }

  /** @returns where the digits of a text begin that begins here; -1 where none does */
  #digits(): number {
    const [body, at] = [this.#body, this.at];
    return body[at] === quote && body[at + 1] === zero && body[at + 2] === x ? at + 3 : -1;
  }

  /** So many digits, kept as a text. */
  #readText(digits: number, seen: Seen): boolean {
    const [body, start] = [this.#body, this.#digits()];
    const end = start + digits;
    if (start < 0 || body[end] !== quote) return false;
    this.at = end + 1;
    let same = seen.at > 0;
    for (let index = 0; same && index < digits; index += 1) {
      same = body[seen.at + index] === body[start + index];
    }
    if (same) return true;
    let all = 0;
    for (let place = start; place < end; place += 1) all |= digitOf[body[place] as number] as number;
    if (all > 15) return false;
    seen.at = start;
    seen.text = body.toString("latin1", start - 2, end) as Hex;
    return true;
  }

  /** 32 bytes. */
  #readWord(): boolean {
    const [body, bytes, start] = [this.#body, this.#bytes, this.#digits()];
    if (start < 0 || body[start + 64] !== quote) return false;
    this.at = start + 65;
    let all = 0;
    let to = this.#end;
    for (let place = start; place < start + 64; place += 2) {
      const high = digitOf[body[place] as number] as number;
      const low = digitOf[body[place + 1] as number] as number;
      all |= high | low;
      bytes[to++] = (high << 4) | low;
    }
    this.#end = to;
    return all < 16;
  }

  #readTopics(): boolean {
    const body = this.#body;
    if (body[this.at] !== openList) return false;
    this.at += 1;
    this.#topics = this.#end;
    this.#topicCount = 0;
    while (body[this.at] !== closeList) {
      if (this.#topicCount === 4 || !this.#readWord()) return false;
      this.#topicCount += 1;
      if (body[this.at] === comma && body[this.at + 1] === quote) this.at += 1;
      else if (body[this.at] !== closeList) return false;
    }
    this.at += 1;
    return true;
  }

  #readData(): boolean {
    const start = this.#digits();
    if (start < 0) return false;
    const end = this.#body.indexOf(quote, start);
    if (end < 0 || !decodeHex(this.#body, [start, end], this.#bytes, this.#end)) return false;
    this.#dataBegin = this.#end;
    this.#end += (end - start) / 2;
    this.#dataEnd = this.#end;
    this.at = end + 1;
    return true;
  }

  /** A number of at most 13 digits, which is below 2^53; -1 where it is none. */
  #readCount(): number {
    const [body, start] = [this.#body, this.#digits()];
    if (start < 0) return -1;
    let value = 0;
    let place = start;
    for (; place < start + 13; place += 1) {
      const digit = digitOf[body[place] as number] as number;
      if (digit > 15) break;
      value = 16 * value + digit;
    }
    if (place === start || body[place] !== quote) return -1;
    this.at = place + 1;
    return value;
  }

  #readFalse(): boolean {
    const [body, at] = [this.#body, this.at];
    for (let index = 0; index < no.length; index += 1) if (body[at + index] !== no[index]) return false;
    this.at = at + no.length;
    return true;
  }
}

const no = Buffer.from("false");
