import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runCheck } from "../../checks/run-check.ts";
import { machine, median } from "../measure.ts";
import { rewriteSection } from "../performance-doc.ts";

const usage = `Usage: npm run bench:hash [-- <option>…]

Lets the command line, as it is packed, and the system's own programs hash one file, by turns: the whole time of
each process, start and end included. The file is in the page cache.

  --megabytes 1000   of the file, random bytes
  --rounds 7         of which the median is told
  --write            puts the table into docs/performance.md
`;

const root = join(import.meta.dirname, "..", "..", "..");

/** Methods, and a program of the system that hashes by the same, where there is one. */
const contests: [method: string, ...program: string[]][] = [
  ["SHA2-256", "sha256sum"],
  ["SHA2-256", "openssl", "dgst", "-sha256"],
  ["SHA2-512", "sha512sum"],
  ["SHA3-256", "openssl", "dgst", "-sha3-256"],
  ["SHA-1", "sha1sum"],
  ["MD5", "md5sum"],
  ["BLAKE2b-512", "b2sum"],
  ["BLAKE3"],
  ["Keccak-256"],
];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      megabytes: { type: "string", default: "1000" },
      rounds: { type: "string", default: "7" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(usage);
  const [megabytes, rounds] = [Number(values.megabytes), Number(values.rounds)];
  if (!(megabytes > 0 && rounds > 0)) throw new Error(`An option is wrong.\n\n${usage}`);
  const { passed, output } = await runCheck({
    name: "build",
    commands: [[join(root, "scripts", "build-workspaces.ts"), "cli"]],
  });
  if (!passed) throw new Error(output);
  const folder = await mkdtemp(join(tmpdir(), "asset-registry-hash-"));
  try {
    const file = join(folder, "file");
    await fill(file, megabytes);
    const lines: string[] = [];
    for (const [method, ...program] of contests) {
      lines.push(await contest(method, program, { file, rounds, megabytes }));
    }
    const table = [...head(megabytes, rounds), ...lines].join("\n");
    console.log(table);
    if (values.write) await rewriteSection("hash", table);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function fill(path: string, megabytes: number): Promise<void> {
  await using handle = await open(path, "w");
  const piece = randomBytes(1_000_000);
  for (let at = 0; at < megabytes; at += 1) {
    piece.writeUInt32LE(at);
    await handle.write(piece);
  }
}

/** Both by turns, so that whatever else the machine does meets both. @returns a row of the table */
async function contest(
  method: string,
  program: readonly string[],
  { file, rounds, megabytes }: { file: string; rounds: number; megabytes: number },
): Promise<string> {
  const [own, other]: [number[], number[]] = [[], []];
  const command = [process.execPath, join(root, "cli", "dist", "main.js"), "hash", "--method", method, file];
  for (let round = 0; round < rounds; round += 1) {
    if (program.length > 0) other.push(await secondsOf([...program, file]));
    own.push(await secondsOf(command));
  }
  const speed = (seconds: number[]) => Math.round(megabytes / median(seconds));
  const theirs =
    program.length > 0
      ? [
          `\`${program.join(" ")}\``,
          `${speed(other)}`,
          `${Math.round((100 * median(other)) / median(own))} %`,
        ]
      : ["none", "", ""];
  return `| ${[method, speed(own), ...theirs].join(" | ")} |`.replaceAll("  ", " ");
}

async function secondsOf([file = "", ...args]: readonly string[]): Promise<number> {
  const since = performance.now();
  const child = spawn(file, args, { stdio: "ignore" });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${file} ended with exit code ${code}`);
  return (performance.now() - since) / 1000;
}

const head = (megabytes: number, rounds: number) => [
  `${machine()}. A file of ${megabytes} MB, medians of ${rounds} rounds.`,
  "",
  "| Method | `asset-registry hash`, MB/s | Beside | MB/s | Ratio |",
  "| --- | --- | --- | --- | --- |",
];

await main();
