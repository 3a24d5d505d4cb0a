import { type RegistryClient, StateError } from "asset-registry-client";
import { type Command, Option } from "commander";
import type { Io } from "../io.ts";
import { printable, printableJson } from "../output/printable.ts";
import { exitCodes, Problem } from "../problem.ts";
import type { Change } from "../sign/change.ts";
import type { Signer } from "../sign/signer.ts";
import { secondsOf } from "./arguments.ts";

/** States that a command may wait for. */
const goals = ["Submitted", "Committed", "Confirmed"] as const;
type Goal = (typeof goals)[number];

export type WaitOptions = { wait: Goal | "none"; timeout: number; json?: true };

/** A request that the service made, which its author has to sign. */
export type Request = { transactionId: string };

/** Adds the options of every command that makes a change. */
export function withWaitOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--wait <state>", "wait until it is that far")
        .choices(["none", ...goals])
        .default("Committed"),
    )
    .addOption(new Option("--timeout <seconds>", "give up the wait").default(300).argParser(secondsOf))
    .option("--json", "print JSON");
}

/** Has a request signed, waits for it and says how far it is. @throws Problem where it ended otherwise */
export async function carryOut(
  request: Request,
  change: Change,
  { client, signer }: { client: RegistryClient; signer: Signer },
  options: WaitOptions,
  io: Io,
): Promise<void> {
  const { approve } = await import("../sign/approve.ts");
  const { transactionId } = request;
  const { id, transactionHash, state } = await approve(change, transactionId, client, signer, io);
  const reached =
    options.wait === "none" ? state : await waitFor(client, transactionId, options.wait, options, io);
  const told = { id, transactionId, transactionHash, state: reached };
  if (options.json) io.stdout.write(`${printableJson(told)}\n`);
  else
    io.stdout.write(
      `${id}  ${printable(reached)}, transaction ${printable(transactionHash ?? "not sent yet")}\n`,
    );
}

async function waitFor(
  client: RegistryClient,
  id: string,
  goal: Goal,
  { timeout }: WaitOptions,
  io: Io,
): Promise<string> {
  io.stderr.write(`Signed the request ${printable(id)}. Waiting until it is ${goal} …\n`);
  try {
    const status = await client.waitForState(id, goal, { timeout: timeout * 1000, signal: io.signal });
    return status.state;
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    const isOver = error.state.startsWith("Revoked");
    const words = printable(error.message);
    throw new Problem(isOver ? "ended" : "not-in-time", words, isOver ? exitCodes.no : exitCodes.unable);
  }
}
