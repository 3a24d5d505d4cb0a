import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { build } from "./build.ts";
import { program } from "./checks/run-check.ts";
import { buildInfo, compiledRegistry, type StandardInput } from "./contracts/compiled-registry.ts";
import { behaviourTests, inCopy } from "./contracts/copy.ts";
import { type Mutant, mutantsOf, type SyntaxNode } from "./contracts/mutants.ts";

const usage = `Usage: npm run mutation [-- <line>…]

Changes AssetRegistry.sol in one place after the other (a condition, an operator, a constant, an argument, a statement
left out) and runs the contract's tests in Mocha against each change. A change that no test notices is listed: the
tests have a hole there, or docs/contracts.md says why nothing can be noticed. With lines, only what is on them.`;

const SOURCE = "project/contracts/AssetRegistry.sol";
/** A mutant that makes a loop endless is noticed by this. */
const PATIENCE_MS = 240_000;

type Verdict = "killed" | "does not compile" | "same code" | "SURVIVED";

const solc = createRequire(import.meta.url)("solc") as { compile(input: string): string };

/** Creation and runtime code; undefined where the source is refused. Without the slow pipeline: it is run, not measured. */
function compile(
  input: StandardInput,
  source: string,
): { bytecode: string; deployedBytecode: string } | undefined {
  const quick = {
    ...input,
    sources: { ...input.sources, [SOURCE]: { content: source } },
    settings: {
      ...input.settings,
      viaIR: false,
      outputSelection: {
        [SOURCE]: { AssetRegistry: ["evm.bytecode.object", "evm.deployedBytecode.object"] },
      },
    },
  };
  const { contracts } = JSON.parse(solc.compile(JSON.stringify(quick)));
  const evm = contracts?.[SOURCE]?.AssetRegistry?.evm;
  if (evm === undefined) return undefined;
  return { bytecode: `0x${evm.bytecode.object}`, deployedBytecode: `0x${evm.deployedBytecode.object}` };
}

/** Puts code in the place of the registry's, in a copy. */
async function install(folder: string, code: object): Promise<void> {
  const file = join(folder, "artifacts", "contracts", "AssetRegistry.sol", "AssetRegistry.json");
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), ...code }));
}

/** The first test that fails in a copy; undefined where every test of the contract's behaviour passes. */
async function firstFailure(folder: string): Promise<string | undefined> {
  const args = [program("mocha"), "--bail", "--reporter=dot", ...(await behaviourTests(folder))];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ["ignore", "pipe", "ignore"],
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (code === 0) return undefined;
  if (signal !== null) return `no end within ${PATIENCE_MS / 1000} s`;
  const start = output.indexOf("\n  1) ");
  const end = output.indexOf(":\n", start);
  return start < 0 || end < 0 ? "the runner" : output.slice(start + 6, end).replace(/\s+/g, " ");
}

async function main(lines: number[]): Promise<void> {
  await build();
  const { buildInfoId } = await compiledRegistry();
  const { input, output } = await buildInfo(buildInfoId);
  const original = input.sources[SOURCE]?.content ?? "";
  const sources = Object.fromEntries(
    Object.entries(input.sources).filter(([name]) => !name.startsWith("project/test/")),
  );
  const unmutated = compile({ ...input, sources }, original);
  if (unmutated === undefined) throw new Error("The contract does not compile.");
  const tree = output.sources[SOURCE]?.ast as unknown as SyntaxNode;
  const mutants = mutantsOf(original, tree).filter(({ line }) => lines.length === 0 || lines.includes(line));
  const verdicts: [Mutant, Verdict][] = [];

  const queue = [...mutants];
  await inCopy(async (folder) => {
    await install(folder, unmutated);
    const failure = await firstFailure(folder);
    if (failure !== undefined) throw new Error(`Without any change, a test fails: ${failure}`);
  });
  await Promise.all(
    Array.from({ length: availableParallelism() }, () =>
      inCopy(async (folder) => {
        for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
          const code = compile({ ...input, sources }, mutant.source);
          let verdict: Verdict = "does not compile";
          let killer: string | undefined;
          if (code?.bytecode === unmutated.bytecode) verdict = "same code";
          else if (code !== undefined) {
            await install(folder, code);
            killer = await firstFailure(folder);
            verdict = killer === undefined ? "SURVIVED" : "killed";
          }
          verdicts.push([mutant, verdict]);
          const by = killer === undefined ? "" : ` by “${killer}”`;
          console.log(
            `${verdicts.length}/${mutants.length} line ${mutant.line}: ${mutant.what}: ${verdict}${by}`,
          );
        }
      }),
    ),
  );

  const count = (wanted: Verdict) => verdicts.filter(([, verdict]) => verdict === wanted).length;
  const survivors = verdicts.filter(([, verdict]) => verdict === "SURVIVED");
  console.log(
    `\n${count("killed")} killed, ${survivors.length} survived; ` +
      `${count("does not compile")} do not compile, ${count("same code")} compile to the same code`,
  );
  for (const [{ line, what }] of survivors.sort(([one], [other]) => one.line - other.line)) {
    console.log(`  line ${line}: ${what}`);
  }
}

const args = process.argv.slice(2);
if (args.includes("--help")) console.log(usage);
else {
  process.chdir(join(import.meta.dirname, ".."));
  await main(args.map(Number));
}
