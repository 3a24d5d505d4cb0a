import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { backOff } from "../domain/back-off.ts";
import type { RpcMetrics } from "./metrics.ts";

export type HeadsOptions = {
  onHead: () => void;
  log: Logger;
  metrics: RpcMetrics;
  signal: AbortSignal;
  /** Milliseconds between pings; a socket that does not answer before the next one is dead. */
  beatMs?: number;
};

/** Seconds between two attempts to connect. */
const longestPause = 10;

/**
 * Subscribes to new blocks on each WebSocket URL until `signal` aborts. A notification only triggers the next poll at once:
 * blocks are read by polling alone, so a broken, wrong or silent socket costs time and never a block.
 */
export async function listenForHeads(urls: readonly string[], options: HeadsOptions): Promise<void> {
  await Promise.all(urls.map((url) => keepListening(url, options)));
}

async function keepListening(url: string, options: HeadsOptions): Promise<void> {
  const { log, metrics, signal } = options;
  const { host } = new URL(url);
  let failures = 0;
  while (!signal.aborted) {
    const problem = await listen(url, options, () => {
      if (failures > 0) log.info({ socket: host }, "WebSocket connected again");
      failures = 0;
    });
    if (signal.aborted) return;
    failures += 1;
    metrics.count("socket_lost_total");
    if (failures === 1)
      log.warn({ socket: host, err: { message: problem } }, "WebSocket lost: falling back to polling");
    await sleep(backOff(failures, longestPause) * 1000, undefined, { signal }).catch(() => undefined);
  }
}

/** Runs one connection to its end. @returns why it ended */
function listen(
  url: string,
  { onHead, signal, beatMs = 10_000 }: HeadsOptions,
  onSubscribed: () => void,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    const subscribe = 1;
    let nextId = subscribe;
    let heard = true;
    const ask = (method: string, params: unknown[]) => {
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: nextId, method, params }));
      nextId += 1;
    };
    const end = (problem: string) => {
      clearInterval(beat);
      signal.removeEventListener("abort", stop);
      // A dead peer answers no closing handshake, so it is not waited for.
      socket.close();
      resolve(problem);
    };
    const stop = () => end("stopped");
    const beat = setInterval(() => {
      if (!heard) return end(`it was silent for ${beatMs / 1000} s`);
      heard = false;
      // New blocks may be rare, but a ping must be answered.
      if (socket.readyState === WebSocket.OPEN) ask("eth_chainId", []);
    }, beatMs);
    signal.addEventListener("abort", stop, { once: true });
    socket.addEventListener("open", () => ask("eth_subscribe", ["newHeads"]));
    socket.addEventListener("close", ({ code }) => end(`it was closed (${code})`));
    socket.addEventListener("error", () => end("it cannot be reached"));
    socket.addEventListener("message", ({ data }) => {
      heard = true;
      const { id, method, error } = readMessage(data);
      if (id === subscribe) {
        if (error !== undefined) return end("it takes no subscriptions");
        onSubscribed();
        // Blocks before the subscription were not announced.
        onHead();
      } else if (method === "eth_subscription") onHead();
    });
    if (signal.aborted) stop();
  });
}

function readMessage(data: unknown): { id?: unknown; method?: unknown; error?: unknown } {
  try {
    const message: unknown = JSON.parse(String(data));
    return typeof message === "object" && message !== null ? message : {};
  } catch {
    return {};
  }
}
