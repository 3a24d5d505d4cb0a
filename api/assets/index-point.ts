import type { IndexPosition } from "../../domain/index/index-position.ts";

/** Newest indexed and newest final block. */
export type IndexPoint = Pick<IndexPosition, "blockNumber" | "finalNumber" | "confirmations">;
