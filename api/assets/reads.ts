import type { Pool } from "../../db/core/pool.ts";
import { type ListStatement, listsAtOnce, type Row, runLists } from "../../db/reads/asset-list/read.ts";
import { type AssetPosition, readAssetPositions } from "../../db/reads/asset-positions.ts";
import { type AssetReading, readAssets } from "../../db/reads/assets.ts";
import { type HistoryQuestion, type HistoryReading, readLinkHistories } from "../../db/reads/link-history.ts";
import { type LinkQuestion, type LinkReading, readLinks } from "../../db/reads/links.ts";
import { type PendingReading, readPending } from "../../db/reads/pending-assets.ts";
import { readStatuses, type StatusReading } from "../../db/reads/statuses.ts";
import { type RequestStatus, readTransactionStatuses } from "../../db/reads/transactions.ts";
import type { AssetId } from "../../domain/asset/asset.ts";
import { batched } from "../operation/batch.ts";

/** The most frequent reads, batched. */
export type Reads = {
  /** Assets on the chain; undefined for others, as below. */
  asset(id: AssetId): Promise<AssetReading | undefined>;
  status(id: AssetId): Promise<StatusReading | undefined>;
  position(id: AssetId): Promise<AssetPosition | undefined>;
  links(question: LinkQuestion): Promise<LinkReading | undefined>;
  linkHistory(question: HistoryQuestion): Promise<HistoryReading | undefined>;
  /** Rows of a list of a tenant; lists of others are never run with it. */
  list(tenant: string, list: ListStatement): Promise<Row[]>;
  /** The request for an asset, on the chain or not. */
  pending(id: AssetId): Promise<PendingReading | undefined>;
  /** The status of a request. */
  transaction(id: string): Promise<RequestStatus | undefined>;
};

export function createReads(pool: Pool): Reads {
  /** Lists that wait to be run, by tenant and statement. */
  const lists = new Map<string, (list: ListStatement) => Promise<Row[]>>();

  function listsOf(name: string): (list: ListStatement) => Promise<Row[]> {
    const load = batched<ListStatement, Row[]>((all) => {
      lists.delete(name);
      return runLists(pool, all);
    }, listsAtOnce);
    lists.set(name, load);
    return load;
  }

  return {
    asset: batched((ids) => readAssets(pool, ids)),
    status: batched((ids) => readStatuses(pool, ids)),
    position: batched((ids) => readAssetPositions(pool, ids)),
    linkHistory: batched((questions) => readLinkHistories(pool, questions)),
    links: batched((questions) => readLinks(pool, questions)),
    list(tenant, list) {
      const name = `${tenant}\n${list.text}`;
      return (lists.get(name) ?? listsOf(name))(list);
    },
    pending: batched((ids) => readPending(pool, ids)),
    transaction: batched(async (ids) => {
      const found = new Map(
        (await readTransactionStatuses(pool, ids)).map((status) => [status.request.id, status]),
      );
      return ids.map((id) => found.get(id));
    }),
  };
}
