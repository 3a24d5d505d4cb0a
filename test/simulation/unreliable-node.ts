import { setTimeout as sleep } from "node:timers/promises";
import { type LiarCall, type Lie, startLiar } from "../support/chain/liar.ts";
import type { Random } from "./random.ts";

type Named = { number?: string; blockNumber?: string };

const faults = [
  "500",
  "429",
  "drop",
  "html",
  "truncate",
  "late",
  "behind",
  "error",
  "nothing",
  "null",
  "empty",
] as const;
type Fault = (typeof faults)[number];

/**
 * A node that fails, or lies, in one of `share` requests; `share` may be changed. Its lies are those that real
 * nodes were seen to tell and that an index can notice: an old state of the chain, and a block without its
 * logs. One that has the blocks and leaves out some logs of an old range would go unnoticed.
 */
export async function unreliableNode(url: string, random: Random, share: number) {
  const liar = await startLiar(url);
  const state = { share, faults: 0 };
  /** Blocks that the node has not seen yet. */
  let behind = 0;
  /** Calls of the request in hand until one is hit; a batch is one request. */
  let untilHit: number | undefined;

  liar.on("*", (call) => {
    const fault = nextFault();
    if (fault === "behind" && behind === 0) {
      behind = random.whole(1, 6);
      setTimeout(
        () => {
          behind = 0;
        },
        random.whole(20, 200),
      );
    }
    if (behind > 0) return answerBehind(call, behind);
    return fault === undefined ? undefined : lie(fault, call);
  });

  function nextFault(): Fault | undefined {
    if (untilHit === undefined) {
      untilHit = random.chance(state.share) ? random.whole(0, 2) : -1;
      // The calls of a batch come one after the other, with nothing in between.
      queueMicrotask(() => {
        untilHit = undefined;
      });
    }
    untilHit -= 1;
    if (untilHit !== -1) return undefined;
    state.faults += 1;
    return random.pick(faults);
  }

  async function lie(fault: Fault, { method, params }: LiarCall): Promise<Lie | undefined> {
    const busy: Lie = { error: { code: -32_000, message: "try again" } };
    switch (fault) {
      case "500":
        return { http: { status: 500, body: "no" } };
      case "429":
        return { http: { status: 429, headers: { "retry-after": "1" }, body: "" } };
      case "html":
        return { http: { headers: { "content-type": "text/html" }, body: "<html>sorry</html>" } };
      case "drop":
      case "truncate":
        return fault;
      case "late":
        await sleep(200);
        return undefined;
      case "nothing":
        return { envelope: ({ jsonrpc, id }) => ({ jsonrpc, id }) };
      case "null":
        return /ByNumber|ByHash|Receipts?$/.test(method) ? { result: null } : busy;
      case "empty": {
        const ofOneBlock = method === "eth_getLogs" && Object.hasOwn(params[0] as object, "blockHash");
        return ofOneBlock ? { result: [] } : busy;
      }
      default:
        return busy;
    }
  }

  /** As a node answers that has not seen the newest blocks. */
  async function answerBehind(
    { method, params, forward }: LiarCall,
    blocks: number,
  ): Promise<Lie | undefined> {
    const head = Math.max(0, Number(await rpc("eth_blockNumber", [])) - blocks);
    if (method === "eth_getBlockByNumber" && params[0] === "latest") {
      return { result: await rpc(method, [`0x${head.toString(16)}`, false]) };
    }
    const result = await forward();
    const number = (entry: Named) => Number(entry.number ?? entry.blockNumber ?? 0);
    if (Array.isArray(result)) return { result: result.filter((entry: Named) => number(entry) <= head) };
    if (typeof result !== "object" || result === null) return undefined;
    return number(result) > head ? { result: null } : undefined;
  }

  async function rpc(method: string, params: unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body });
    return ((await response.json()) as { result: unknown }).result;
  }

  return { url: liar.url, state, stop: () => liar.stop() };
}
