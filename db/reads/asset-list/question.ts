import type { AssetState } from "../../../domain/request/state.ts";
import type { Place } from "../../core/keyset.ts";
import type { AssetFilter } from "./filter.ts";

export type ListQuestion = {
  /** Whose requests are read; it does not matter where none are. */
  tenant: string;
  filter: AssetFilter;
  /** Of requests the state noted last. */
  state: AssetState | undefined;
  /** Created at or after the one time, and before the other. */
  createdFrom: Date | undefined;
  createdTo: Date | undefined;
  /**
   * Behind which place the tenant's requests go on, and the block up to which assets are listed as assets of the
   * chain; undefined: the newest. No requests are read where this is undefined.
   */
  requests: { below: Place<string> | undefined; upTo: number | undefined } | undefined;
  /** Behind which place the assets of the chain go on. None are read where this is undefined. */
  chain: { below: Place<number> } | undefined;
  /** Most rows of each. */
  limit: number;
  /** Which rows are shown: those behind `skip`, up to `wanted`. */
  skip: number;
  wanted: number;
};

/** In SQL: the rows of a part of the list, what is read of them, and where its walk ended before the list did. */
export type Part = { rows: string; read: string; end: string | undefined };
