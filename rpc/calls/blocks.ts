import type { Hash } from "viem";
import type { Caller } from "./caller.ts";
import type { Header, Tag } from "./header.ts";
import type { HeaderReader } from "./header-reader.ts";

/** Block numbers of one batch where a chain leaves out some. */
const gapStep = 8;

const numbersFrom = (start: number, length: number) => Array.from({ length }, (_, index) => start + index);

export function blockCalls({ providers, inGroups }: Caller, reader: HeaderReader) {
  return {
    /** @returns undefined where the node does not have the block, at least not yet */
    header: (tag: Tag): Promise<Header | undefined> =>
      providers.run(async (rpc) => {
        const found = await reader.header(rpc, tag);
        if (tag === "latest" && found !== undefined) providers.recordHead(rpc, found.number);
        return found;
      }),
    /** Headers by number, in their order; undefined for each that the node does not have. */
    headers: (asked: readonly number[]): Promise<(Header | undefined)[]> => inGroups(asked, reader.headers),
    /** The header of a block by its hash. */
    headerOf: (block: Hash): Promise<Header | undefined> => providers.run((rpc) => reader.byHash(rpc, block)),
    /**
     * The first block from a number on, within a bounded number of left-out ones.
     * @returns undefined where the node has none of them
     */
    firstHeaderFrom: async (from: number, most: number): Promise<Header | undefined> => {
      for (let start = from; start < from + most; start += gapStep) {
        const asked = numbersFrom(start, Math.min(gapStep, from + most - start));
        const headers = await providers.run((rpc) => reader.headers(rpc, asked));
        const found = headers.find((one) => one !== undefined);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    /** Whether the chain leaves out a number, so that the next block's parent is a block before it. */
    leavesOut: (number: number): Promise<boolean> =>
      providers.run(async (rpc) => {
        const after = await reader.headers(rpc, numbersFrom(number + 1, gapStep));
        const next = after.find((one) => one !== undefined);
        return next !== undefined && (await reader.numberOf(rpc, next.parentHash)) < number;
      }),
  };
}
