import { setImmediate as nextTurn } from "node:timers/promises";
import type { Hash } from "viem";
import { AssetRows } from "../../db/chain/assets.ts";
import type { Cancellation } from "../../db/chain/cancellations.ts";
import type { LinkEvent } from "../../db/chain/links.ts";
import type { UndecodedLog } from "../../db/chain/undecoded.ts";
import { createDigests } from "../../domain/asset/digests.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import type { Header } from "../../rpc/calls/header.ts";
import { ChainMovedError } from "../../rpc/errors/chain-errors.ts";
import type { Log } from "../../rpc/logs/logs.ts";
import { decodeLogs } from "./decode.ts";

/** Events of blocks, ready to be stored. */
export type Brought = {
  assets: AssetRows;
  links: LinkEvent[];
  cancellations: Cancellation[];
  undecoded: UndecodedLog[];
};

/**
 * Consecutive blocks with their events, and headers of the blocks worth storing, always including the last. `parent` is
 * the hash of the block before the first, `succeeded` the transactions with events, where requested.
 */
export type Read = {
  parent: Hash;
  blocks: [...Header[], Header];
  brought: Brought;
  logs: number;
  /** Bytes of the logs' data. */
  bytes: number;
  succeeded?: ReadonlySet<Hash>;
};

/**
 * Merges two consecutive reads.
 * @throws ChainMovedError where the second does not continue the first
 */
export function joinReads(first: Read, second: Read): Read {
  const last = first.blocks.at(-1) as Header;
  if (second.parent !== last.hash) {
    throw new ChainMovedError(`What follows block ${last.number} does not continue it`);
  }
  const { assets, links, cancellations, undecoded } = first.brought;
  assets.append(second.brought.assets);
  return {
    parent: first.parent,
    blocks: [...first.blocks, ...second.blocks],
    brought: {
      assets,
      links: [...links, ...second.brought.links],
      cancellations: [...cancellations, ...second.brought.cancellations],
      undecoded: [...undecoded, ...second.brought.undecoded],
    },
    logs: first.logs + second.logs,
    bytes: first.bytes + second.bytes,
  };
}

/** Logs that are decoded without yielding: some milliseconds of work. */
const stretch = 150;

/** Yields to the event loop, so that the database gets its next statement. */
export async function readOf(
  registry: Registry,
  { parent, blocks, logs }: Pick<Read, "parent" | "blocks"> & { logs: readonly Log[] },
): Promise<Read> {
  const digestsOf = createDigests(registry);
  const assets = new AssetRows();
  const links: LinkEvent[] = [];
  const cancellations: Cancellation[] = [];
  const undecoded: UndecodedLog[] = [];
  const bytes = logs.reduce((sum, { data }) => sum + data.length, 0);
  for (let start = 0; start < logs.length; start += stretch) {
    if (start > 0) await nextTurn();
    const decoded = decodeLogs(digestsOf, logs.slice(start, start + stretch));
    for (const asset of decoded.assets) assets.add(asset);
    links.push(...decoded.links);
    cancellations.push(...decoded.cancellations);
    undecoded.push(...decoded.undecoded);
  }
  return { parent, blocks, brought: { assets, links, cancellations, undecoded }, logs: logs.length, bytes };
}
