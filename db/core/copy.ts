import { pipeline } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import type { Hex } from "viem";
import type { Transaction } from "./pool.ts";

/** PostgreSQL's binary COPY format: signature, no flags, no header extension. */
const header = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const trailer = Buffer.from([0xff, 0xff]);

/** Bytes of the first and of the largest buffer. Buffers are sent one by one, because joining them costs more. */
const [firstPiece, largestPiece] = [16 * 1024, 256 * 1024];

/**
 * Pool of buffers: new ones have to be cleared by the system and cause garbage collections.
 */
const spare: Buffer<ArrayBuffer>[] = [];
const mostSpare = 64;

/**
 * Rows for a bulk insert in PostgreSQL's binary COPY format, which needs no escaping and no hex, and in which no content
 * can end a field early.
 */
export class CopyRows {
  /** Full buffers. */
  #full: Buffer<ArrayBuffer>[] = [];
  #buffer = Buffer.allocUnsafe(firstPiece);
  #length = 0;
  #rows = 0;

  get size(): number {
    return this.#rows;
  }

  /** Begins a row; that many values must follow. */
  row(columns: number): void {
    this.#reserve(2);
    this.#buffer[this.#length++] = columns >> 8;
    this.#buffer[this.#length++] = columns;
    this.#rows += 1;
  }

  null(): void {
    this.#reserve(4);
    this.#word(-1);
  }

  /** A bytea from hex, or a text from its UTF-8. */
  bytes(value: Hex | Uint8Array): void {
    const size = typeof value === "string" ? (value.length - 2) >> 1 : value.length;
    this.#reserve(4 + size);
    this.#word(size);
    const [buffer, length] = [this.#buffer, this.#length];
    if (typeof value === "string") {
      if (buffer.write(value.slice(2), length, "hex") !== size) throw new Error(`${value} is no hex`);
    } else if (size > 64) buffer.set(value, length);
    // For few bytes a loop is faster than a native copy.
    else for (let at = 0; at < size; at += 1) buffer[length + at] = value[at] as number;
    this.#length += size;
  }

  integer(value: number): void {
    this.#reserve(8);
    this.#word(4);
    this.#word(value);
  }

  /** Block numbers, indexes and seconds: whole numbers from 0 to 2^53. */
  bigint(value: number): void {
    this.#reserve(12);
    this.#word(8);
    this.#word(Math.floor(value / 2 ** 32));
    this.#word(value);
  }

  /** Appends the rows of another one, which must not be used afterwards. */
  append(later: CopyRows): void {
    this.#full.push(this.#buffer.subarray(0, this.#length), ...later.#full);
    this.#buffer = later.#buffer;
    this.#length = later.#length;
    this.#rows += later.#rows;
  }

  /** @param target table and columns, as `copy` names them */
  async insertInto(tx: Transaction, target: string): Promise<void> {
    if (this.#rows === 0) return;
    const pieces = [header, ...this.#full, this.#buffer.subarray(0, this.#length), trailer];
    await pipeline(pieces, tx.query(copyFrom(`copy ${target} from stdin (format binary)`)));
  }

  /** Releases its buffers for reuse, once the rows are committed; it is empty afterwards. */
  release(): void {
    for (const { buffer } of [...this.#full, this.#buffer]) {
      if (buffer.byteLength === largestPiece && spare.length < mostSpare) spare.push(Buffer.from(buffer));
    }
    this.#full = [];
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
    this.#rows = 0;
  }

  /** Writes a 32-bit integer. */
  #word(value: number): void {
    const buffer = this.#buffer;
    const at = this.#length;
    buffer[at] = value >>> 24;
    buffer[at + 1] = value >>> 16;
    buffer[at + 2] = value >>> 8;
    buffer[at + 3] = value;
    this.#length = at + 4;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    this.#full.push(this.#buffer.subarray(0, this.#length));
    const size = Math.max(Math.min(2 * this.#buffer.length, largestPiece), bytes);
    this.#buffer = (size === largestPiece ? spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(size);
    this.#length = 0;
  }
}
