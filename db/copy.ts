import { pipeline } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import type { Hex } from "viem";
import { writeHex } from "./bytes.ts";
import type { Transaction } from "./pool.ts";

/** PostgreSQL's binary COPY format: signature, no flags, no header extension. */
const header = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const trailer = Buffer.from([0xff, 0xff]);

/**
 * Rows for a bulk insert, written straight as the bytes that PostgreSQL takes. Binary, because then no text
 * is escaped, no byte becomes two hex digits, and nothing that a text may hold can end a field early.
 */
export class CopyRows {
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #length = 0;
  #rows = 0;

  constructor() {
    this.#raw(header);
  }

  get size(): number {
    return this.#rows;
  }

  /** Begins a row; as many values must follow. */
  row(columns: number): void {
    this.#reserve(2);
    this.#length = this.#buffer.writeInt16BE(columns, this.#length);
    this.#rows += 1;
  }

  null(): void {
    this.#lengthOf(-1);
  }

  /** A bytea from hex, or a text from its UTF-8. */
  bytes(value: Hex | Uint8Array): void {
    if (typeof value !== "string") {
      this.#lengthOf(value.length);
      this.#raw(value);
      return;
    }
    const size = (value.length - 2) >> 1;
    this.#lengthOf(size);
    this.#reserve(size);
    writeHex(this.#buffer, this.#length, value);
    this.#length += size;
  }

  integer(value: number): void {
    this.#lengthOf(4);
    this.#reserve(4);
    this.#length = this.#buffer.writeInt32BE(value, this.#length);
  }

  /** Block numbers, indexes and seconds: whole numbers from 0 to 2^53. */
  bigint(value: number): void {
    this.#lengthOf(8);
    this.#reserve(8);
    this.#length = this.#buffer.writeUInt32BE(Math.floor(value / 2 ** 32), this.#length);
    this.#length = this.#buffer.writeUInt32BE(value >>> 0, this.#length);
  }

  append(later: CopyRows): void {
    this.#raw(later.#buffer.subarray(header.length, later.#length));
    this.#rows += later.#rows;
  }

  /** @param target table and columns, as `copy` names them */
  async insertInto(tx: Transaction, target: string): Promise<void> {
    if (this.#rows === 0) return;
    const end = this.#length;
    this.#raw(trailer);
    const whole = this.#buffer.subarray(0, this.#length);
    this.#length = end;
    await pipeline([whole], tx.query(copyFrom(`copy ${target} from stdin (format binary)`)));
  }

  #lengthOf(bytes: number): void {
    this.#reserve(4);
    this.#length = this.#buffer.writeInt32BE(bytes, this.#length);
  }

  #raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
