import type { Hash } from "viem";
import type { Outcome, Rpc } from "../client/rpc.ts";
import { ChainMovedError } from "../errors/chain-errors.ts";
import { type FailureReason, NodeAnswerError, RpcError } from "../errors/node-error.ts";
import { type Header, headerByHash, headerCall, OlderBlockError, type Tag } from "./header.ts";
import type { RpcCall } from "./rpc-call.ts";

/** Most cached block numbers. */
const mostNumbers = 512;

export type HeaderReader = ReturnType<typeof createHeaderReader>;

/** Reads headers from one provider, and caches the numbers of recent blocks. */
export function createHeaderReader(countFailure: (reason: FailureReason) => void) {
  const numbers = new Map<Hash, number>();

  function remember(found: Header | undefined): Header | undefined {
    if (found === undefined) return undefined;
    numbers.delete(found.hash);
    numbers.set(found.hash, found.number);
    if (numbers.size > mostNumbers) numbers.delete(numbers.keys().next().value as Hash);
    return found;
  }

  /**
   * Parses headers. For a missing block a node answers null, some error, or an older block; where it still answers its
   * head, the block counts as missing.
   */
  async function headersOf(
    rpc: Rpc,
    calls: readonly RpcCall<Header | undefined>[],
    outcomes: readonly Outcome[],
  ): Promise<(Header | undefined)[]> {
    let asked: Promise<unknown> | undefined;
    const headers = outcomes.map(async (outcome, index) => {
      const { read, params } = calls[index] as RpcCall<Header | undefined>;
      if (!("error" in outcome)) {
        try {
          return remember(read(outcome.result));
        } catch (error) {
          if (!(error instanceof OlderBlockError)) throw error;
          countFailure(error.reason);
          return undefined;
        }
      }
      const { error } = outcome;
      if (!(error instanceof RpcError) || error.reason !== "rpc_error" || params[0] === "latest") throw error;
      countFailure(error.reason);
      asked ??= rpc.request(headerCall("latest"));
      await asked.catch(() => {
        throw error;
      });
      return undefined;
    });
    return Promise.all(headers);
  }

  async function headers(rpc: Rpc, tags: readonly Tag[]): Promise<(Header | undefined)[]> {
    const calls = tags.map(headerCall);
    return headersOf(rpc, calls, await rpc.outcomes(calls));
  }

  const header = async (rpc: Rpc, tag: Tag) => (await headers(rpc, [tag]))[0];

  async function byHash(rpc: Rpc, block: Hash): Promise<Header | undefined> {
    const asked = headerByHash(block);
    return remember(asked.read(await rpc.request(asked)));
  }

  async function numberOf(rpc: Rpc, block: Hash): Promise<number> {
    const known = numbers.get(block) ?? (await byHash(rpc, block))?.number;
    if (known !== undefined) return known;
    const { method, params } = headerByHash(block);
    throw new NodeAnswerError(method, params, "there is no such block", "missing_block");
  }

  /** @throws ChainMovedError where another block has this number */
  async function expectBlock(rpc: Rpc, number: number, block: Hash): Promise<void> {
    if ((await header(rpc, number))?.hash === block) return;
    throw new ChainMovedError(`The chain has no block ${number} with the hash ${block} any more`);
  }

  return { header, headers, headersOf, byHash, numberOf, expectBlock };
}
