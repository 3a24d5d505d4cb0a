import type { Hash, Hex } from "viem";
import { joinHashes } from "../db/bytes.ts";
import type { Log } from "./logs.ts";

type Place = Pick<Log, "blockNumber" | "blockHash" | "transactionIndex" | "logIndex"> & {
  /** The contract that the log is of, where that is known. */
  address?: string;
};

/**
 * A log whose form has been checked, in binary: its topics and its transaction's hash are texts only for who asks.
 * Of a backfill's logs nearly nobody does.
 */
export class ScannedLog implements Log {
  readonly address: string | undefined;
  readonly blockNumber: number;
  readonly blockHash: Hash;
  readonly transactionIndex: number;
  readonly logIndex: number;
  readonly data: Uint8Array;
  /** Holds the transaction's hash from `transaction` and the topics, one after the other, from `first` on. */
  readonly words: Buffer;
  readonly transaction: number;
  readonly first: number;
  readonly topicCount: number;

  constructor(
    { address, blockNumber, blockHash, transactionIndex, logIndex }: Place,
    data: Uint8Array,
    words: Buffer,
    [transaction, first, topicCount]: readonly [number, number, number],
  ) {
    this.address = address;
    this.blockNumber = blockNumber;
    this.blockHash = blockHash;
    this.transactionIndex = transactionIndex;
    this.logIndex = logIndex;
    this.data = data;
    this.words = words;
    this.transaction = transaction;
    this.first = first;
    this.topicCount = topicCount;
  }

  static of(log: Log): ScannedLog {
    if (log instanceof ScannedLog) return log;
    const words = joinHashes([log.transactionHash, ...log.topics]);
    return new ScannedLog(log, log.data, words, [0, 32, log.topics.length]);
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
