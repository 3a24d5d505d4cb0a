import { setTimeout as sleep } from "node:timers/promises";
import {
  type AssetState,
  type AssetStatus,
  RegistryError,
  type TransactionStatus,
} from "asset-registry-client";
import type { Command } from "commander";
import { readSettings, type SettingOptions, withKeyOptions } from "../config/settings.ts";
import type { Io } from "../io.ts";
import { allPrintable, printableJson } from "../output/printable.ts";
import { type ExitCode, exitCodes, type Problem } from "../problem.ts";
import { connectService, requireApiKey } from "../service/connect.ts";
import { serviceProblem } from "../service/failure.ts";
import { secondsOf } from "./arguments.ts";
import type { End } from "./end.ts";

type Options = SettingOptions & { watch?: true; every: number; json?: true };
type Status = AssetStatus | TransactionStatus;

const examples = `
Examples:
  asset-registry status 0x604d…
  asset-registry status 5f0c… --watch

An asset's id needs an API key; the id of a transaction is a secret of its own, and needs none.
With --watch each change is printed, until it is Confirmed (exit code 0) or ended otherwise (1).`;

export function addStatus(program: Command, io: Io, end: End): void {
  const command = program
    .command("status")
    .description("say how far an asset or a transaction is")
    .argument("<id>", "id of an asset or of a transaction")
    .option("--watch", "print each change until it is final")
    .option("--every <seconds>", "time between two looks", secondsOf, 1)
    .option("--json", "print JSON, with --watch a line for each change");
  withKeyOptions(command)
    .addHelpText("after", examples)
    .action(async (id: string, options: Options) => end(await status(id, options, io)));
}

async function status(id: string, options: Options, io: Io): Promise<ExitCode> {
  const settings = await readSettings(options, io);
  const { client } = connectService(settings, io);
  const isAsset = /^0x[0-9a-f]{64}$/i.test(id);
  if (isAsset) requireApiKey(settings);
  const read = (): Promise<Status> =>
    isAsset
      ? client.assetStatus(id, { signal: io.signal })
      : client.transactionStatus(id, { signal: io.signal });
  if (!options.watch) {
    const now = await read();
    io.stdout.write(options.json ? `${printableJson(now)}\n` : inWords(now));
    return exitCodeOf(now.state);
  }
  return await watch(read, options, io);
}

async function watch(read: () => Promise<Status>, { every, json }: Options, io: Io): Promise<ExitCode> {
  let shown = "";
  let outage: string | undefined;
  for (;;) {
    try {
      const now = await read();
      outage = undefined;
      const text = json ? `${printableJson(now, 0)}\n` : inWords(now);
      if (text !== shown) io.stdout.write(text);
      shown = text;
      if (now.state === "Confirmed" || isRevoked(now.state)) return exitCodeOf(now.state);
    } catch (error) {
      const problem = outageOf(error);
      if (problem === undefined || io.signal.aborted) throw error;
      if (problem.message !== outage) io.stderr.write(`${problem.message} It is asked again.\n`);
      outage = problem.message;
    }
    await sleep(every * 1000, undefined, { signal: io.signal });
  }
}

/** An error that another attempt may not have. */
function outageOf(error: unknown): Problem | undefined {
  if (error instanceof RegistryError && error.status < 500 && error.status !== 429) return undefined;
  const problem = serviceProblem(error);
  return problem?.exitCode === exitCodes.unable ? problem : undefined;
}

const isRevoked = (state: AssetState): boolean => state.startsWith("Revoked");

const exitCodeOf = (state: AssetState): ExitCode => (isRevoked(state) ? exitCodes.no : exitCodes.done);

function inWords(status: Status): string {
  const { state, reason, blockNumber, transactionHash, hint } = allPrintable(status);
  const details = [
    reason && `because of ${reason}`,
    blockNumber !== undefined && `block ${blockNumber}`,
    transactionHash && `transaction ${transactionHash}`,
    hint?.message,
    "confirmations" in status && `${status.confirmations} of ${status.requiredConfirmations} confirmations`,
  ].filter((detail) => typeof detail === "string");
  return `${[state, ...details].join(", ")}\n`;
}
