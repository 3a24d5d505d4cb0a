import type { Log } from "../terminal/log.ts";
import { isPortFree, LOCALHOST } from "./ports.ts";
import { type Ending, runProcess } from "./process.ts";

export type ChainOptions = {
  /** 0: any free port. */
  port: number;
  /** Seconds between two blocks. */
  blockTime: number;
  log: Log;
};

export type Chain = { url: string; ended: Promise<Ending>; stop(): Promise<void> };

/** The chain of a developer's machine, 31337, in a process of its own that ends with this one. */
export async function startChain({ port, blockTime, log }: ChainOptions): Promise<Chain> {
  if (port !== 0 && !(await isPortFree(port))) throw new Error(`Port ${port} is taken; the chain needs it.`);
  const chain = runProcess({
    script: "scripts/local/chain-server.ts",
    args: [String(port), String(blockTime)],
    log,
  });
  const listening = new Promise<number>((resolve) => {
    chain.child.once("message", (message: { port: number }) => resolve(message.port));
  });
  const outcome = await Promise.race([listening, chain.ended]);
  if (typeof outcome === "string")
    throw new Error(`The chain did not start (${outcome}).\n${log.lastLines(10)}`.trim());
  return { url: `http://${LOCALHOST}:${outcome}`, ended: chain.ended, stop: () => chain.stop(3_000) };
}
