import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import type { Hash, Hex } from "viem";
import { guardAgainstOrphan } from "../../../scripts/local/guard.ts";
import { eventually } from "../eventually.ts";

export type AnvilOptions = {
  /** Mine each transaction as it comes, which is the default; false: only when told to. */
  automine?: boolean;
  /** Seconds between two blocks; instead of automine. */
  blockTime?: number;
  chainId?: number;
  /** Further options of the command line. */
  flags?: string[];
};

export type Anvil = {
  url: string;
  port: number;
  pid: number;
  /** Where it puts old states; gone with it. */
  folder: string;
  /** Sends one JSON-RPC request. @throws AnvilRpcError when it is answered by an error */
  rpc<Result = unknown>(method: string, params?: unknown[]): Promise<Result>;
  mine(blocks?: number): Promise<void>;
  /** Waits for the block: with automine, too, the answer to a transaction comes before its receipt exists. */
  receipt(hash: Hash): Promise<Receipt>;
  /** By SIGINT it first writes what `--dump-state` asks for. */
  stop(signal?: "SIGKILL" | "SIGINT"): Promise<void>;
};

export type Receipt = { status: Hex; logs: { topics: Hex[] }[] };

export class AnvilRpcError extends Error {
  override readonly name = "AnvilRpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(method: string, error: { code: number; message: string; data?: unknown }) {
    super(`${method}: ${error.message}`);
    this.code = error.code;
    this.data = error.data;
  }
}

/** A chain of its own on a free port, for tests that need reorgs or control over mining. */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const { automine = true, blockTime, chainId = 31_337, flags = [] } = options;
  const mining =
    blockTime !== undefined ? ["--block-time", String(blockTime)] : automine ? [] : ["--no-mining"];
  // Left to itself it would keep them in the home folder, and leave them there when it is killed.
  const folder = mkdtempSync(join(tmpdir(), "asset-registry-chain-"));
  const child = spawn(
    binary(),
    [
      ...["--host", "127.0.0.1", "--port", "0"],
      ...["--chain-id", String(chainId), "--slots-in-an-epoch", "1", "--cache-path", folder],
      ...mining,
      ...flags,
    ],
    { stdio: ["ignore", "pipe", "pipe"], windowsHide: true },
  );
  child.unref();
  guardAgainstOrphan(child, { signal: "KILL", removeFolder: folder });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      rmSync(folder, { recursive: true, force: true });
      resolve();
    });
  });
  const port = await new Promise<number>((resolve, reject) => {
    const lines: string[] = [];
    const collect = (line: string) => {
      lines.push(line);
      const match = /^Listening on .*:(\d+)$/.exec(line);
      if (match) resolve(Number(match[1]));
    };
    createInterface(child.stdout).on("line", collect);
    createInterface(child.stderr).on("line", collect);
    child.once("error", reject);
    child.once("exit", (code) =>
      reject(new Error(`anvil ended with exit code ${code}:\n${lines.slice(-10).join("\n")}`)),
    );
  });
  // From here on its output only has to be drained, and must not keep the test run alive.
  for (const stream of [child.stdout, child.stderr]) (stream as unknown as { unref(): void }).unref();

  const url = `http://127.0.0.1:${port}`;
  const rpc = async <Result>(method: string, params: unknown[] = []): Promise<Result> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const answer = (await response.json()) as {
      result: Result;
      error?: { code: number; message: string; data?: unknown };
    };
    if (answer.error) throw new AnvilRpcError(method, answer.error);
    return answer.result;
  };
  return {
    url,
    port,
    pid: child.pid as number,
    folder,
    rpc,
    receipt: async (hash) => {
      const found = await eventually(
        `the receipt of ${hash}`,
        () => rpc<Receipt | null>("eth_getTransactionReceipt", [hash]),
        (receipt) => receipt !== null,
      );
      return found as Receipt;
    },
    mine: async (blocks = 1) => void (await rpc("anvil_mine", [`0x${blocks.toString(16)}`])),
    async stop(signal = "SIGKILL") {
      child.ref();
      child.kill(signal);
      await ended;
    },
  };
}

/** The program itself, not its wrapper: a signal to the wrapper would leave the chain running. */
function binary(): string {
  const platform = { linux: "linux", darwin: "darwin", win32: "win32" }[process.platform as string];
  const architecture = { x64: "amd64", arm64: "arm64" }[process.arch as string];
  const wrapper = createRequire(import.meta.url).resolve("@foundry-rs/anvil/package.json");
  const suffix = process.platform === "win32" ? ".exe" : "";
  return createRequire(wrapper).resolve(`@foundry-rs/anvil-${platform}-${architecture}/bin/anvil${suffix}`);
}
