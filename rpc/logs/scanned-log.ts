import type { Hash, Hex } from "viem";
import { joinHashes } from "../../db/core/bytes.ts";
import type { Log } from "./logs.ts";

type Place = Pick<Log, "blockNumber" | "blockHash" | "transactionIndex" | "logIndex"> & {
  /** The contract that the log is of, where that is known. */
  address?: string;
};

/**
 * A log whose form has been checked, in binary: its parts are objects and texts only for who asks.
 * Of a backfill's logs nearly nobody does.
 */
export class ScannedLog implements Log {
  readonly address: string | undefined;
  readonly blockNumber: number;
  readonly blockHash: Hash;
  readonly transactionIndex: number;
  logIndex: number;
  /**
   * Holds the transaction's hash from `transaction`, the topics, one after the other, from `first` on, and the data
   * from `begin` to `end`.
   */
  readonly words: Buffer;
  readonly transaction: number;
  readonly first: number;
  readonly topicCount: number;
  readonly begin: number;
  readonly end: number;

  constructor(
    { address, blockNumber, blockHash, transactionIndex, logIndex }: Place,
    words: Buffer,
    [transaction, first, topicCount, begin, end]: readonly [number, number, number, number, number],
  ) {
    this.address = address;
    this.blockNumber = blockNumber;
    this.blockHash = blockHash;
    this.transactionIndex = transactionIndex;
    this.logIndex = logIndex;
    this.words = words;
    this.transaction = transaction;
    this.first = first;
    this.topicCount = topicCount;
    this.begin = begin;
    this.end = end;
  }

  static of(log: Log): ScannedLog {
    if (log instanceof ScannedLog) return log;
    const hashes = joinHashes([log.transactionHash, ...log.topics]);
    const words = Buffer.concat([hashes, log.data]);
    return new ScannedLog(log, words, [0, 32, log.topics.length, hashes.length, words.length]);
  }

  get data(): Uint8Array {
    return this.words.subarray(this.begin, this.end);
  }

  get transactionHash(): Hash {
    return this.#word(this.transaction);
  }

  get topics(): Hex[] {
    return Array.from({ length: this.topicCount }, (_, topic) => this.#word(this.first + 32 * topic));
  }

  #word(at: number): Hex {
    return `0x${this.words.toString("hex", at, at + 32)}`;
  }
}
