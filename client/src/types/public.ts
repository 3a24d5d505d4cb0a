import type { Hex } from "./hex.ts";

type TextName = "name" | "data" | "fileName" | "fileType" | "fileSize" | "method" | "hash" | "uri";

/** An asset as the chain has it; an absent text is empty. */
export type PublicAsset = {
  id: Hex;
  chainId: number;
  /** Address of the registry's contract. */
  registry: Hex;
  author: Hex;
  /** With author and texts it makes the id. */
  salt: Hex;
  /** EIP-712 hash of author, salt and texts: what the chain commits to. */
  blockchainHash: Hex;
  /** The same hash made anew from the database, without 0x. */
  documentDbHash: string;
  name: string;
  data: string;
  fileName: string;
  fileType: string;
  fileSize: string;
  method: string;
  hash: string;
  uri: string;
  /** Time of its block, ISO 8601 with +00:00. */
  createdOn: string;
  blockNumber: number;
  blockHash: Hex;
  transactionHash: Hex;
  logIndex: number;
  confirmations: number;
  /** Whether its block is final, so that no reorg undoes it. */
  final: boolean;
  /** Texts of which only the beginning is shown; absent where all are whole. */
  truncated?: TextName[] | undefined;
  /** Texts with bytes that are no UTF-8, which show as U+FFFD; absent where there are none. */
  inexact?: TextName[] | undefined;
};

/** A link that stands, or stood until `revokedOn`; `id` is the asset at the other end. */
export type PublicLink = {
  id: Hex;
  /** ISO 8601 with +00:00. */
  addedOn: string;
  revokedOn?: string | undefined;
  /** Whether the block of its addition or revocation is final. */
  final: boolean;
};

/** Links from other assets to this one, and from this one to others. */
export type PublicLinks = { from: PublicLink[]; to: PublicLink[] };

/** A search among the assets of the chain: an asset must meet all that is given. */
export type PublicQuery = {
  /** Hash of the file in any usual form. */
  hash?: string | undefined;
  /** Method of the hash in any spelling; SHA2-256 where neither it nor the hash says another. */
  method?: string | undefined;
  author?: string | undefined;
  /** Beginning of the name. */
  name?: string | undefined;
  /** Whole words of the name, in any order. */
  words?: string | undefined;
  /** An asset's id: only those that point to it. */
  linkedTo?: string | undefined;
  /** An asset's id: only those that it points to. */
  linkedFrom?: string | undefined;
  /** Entries of a page, at most 200. */
  size?: number | undefined;
};
