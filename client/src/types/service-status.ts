import type { Hex } from "./hex.ts";

/** Work that the indexer tries again by itself. */
export type WaitingWork = { work: string; problem: string; provider: string | null; since: string };

/** A JSON-RPC node as the indexer sees it. */
export type ProviderStatus = {
  /** Host of its URL. */
  name: string;
  /** Whether the index is read from it now. */
  inUse: boolean;
  up: boolean | null;
  /** Since when it is up or down (ISO 8601). */
  since: string | null;
  problem: string | null;
  headBlock: number | null;
  /** Blocks behind the newest that any provider has named. */
  behind: number | null;
};

/** The account that sends what authors only sign; amounts are in wei. */
export type RelayerStatus = {
  address: Hex;
  balance: string;
  problem: string | null;
  /** Signatures that nothing is sent for yet. */
  waiting: number;
  /** Transactions that no block has yet. */
  underWay: number;
};

/** How far the index is, of which registry on which chain; null where unknown. */
export type ServiceStatus = {
  registry: Hex;
  chainId: number | null;
  startBlock: number | null;
  headBlock: number | null;
  indexedBlock: number | null;
  finalBlock: number | null;
  /** Blocks between the head and the index. */
  lag: number | null;
  confirmations: number | "finalized";
  pendingRequests: number;
  undecodedLogs: number;
  haltedReason: string | null;
  /** The longest wait first. */
  waitingFor: WaitingWork[];
  providers: ProviderStatus[];
  indexerRunning: boolean;
  relayer: RelayerStatus | null;
  /** Only while the index is far behind. */
  blocksPerSecond: number | null;
  /** Only while the index is far behind. */
  remainingSeconds: number | null;
};
