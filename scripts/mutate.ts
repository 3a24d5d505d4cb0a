import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { build } from "./build.ts";
import { buildInfo, compiledRegistry, type StandardInput } from "./compiled-registry.ts";
import { behaviourTests, inCopy } from "./contracts/copy.ts";
import { type Mutant, mutantsOf, type SyntaxNode } from "./contracts/mutants.ts";
import { program } from "./local/checks.ts";

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

/** Whether every test of the contract's behaviour passes in a copy. */
async function passes(folder: string): Promise<boolean> {
  const tests = await behaviourTests(folder);
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program("mocha"), "--bail", "--reporter=dot", ...tests], {
      cwd: folder,
      stdio: "ignore",
      timeout: PATIENCE_MS,
      killSignal: "SIGKILL",
    });
    child.once("close", (code) => resolve(code === 0));
  });
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
  const tree = output.sources[SOURCE]?.ast as unknown as SyntaxNode;
  const mutants = mutantsOf(original, tree).filter(({ line }) => lines.length === 0 || lines.includes(line));
  const verdicts: [Mutant, Verdict][] = [];

  const queue = [...mutants];
  await inCopy(async (folder) => {
    await install(folder, unmutated ?? {});
    if (!(await passes(folder))) throw new Error("The tests fail without any change.");
  });
  await Promise.all(
    Array.from({ length: availableParallelism() }, () =>
      inCopy(async (folder) => {
        for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
          const code = compile({ ...input, sources }, mutant.source);
          let verdict: Verdict = "does not compile";
          if (code?.bytecode === unmutated?.bytecode) verdict = "same code";
          else if (code !== undefined) {
            await install(folder, code);
            verdict = (await passes(folder)) ? "SURVIVED" : "killed";
          }
          verdicts.push([mutant, verdict]);
          console.log(`${verdicts.length}/${mutants.length} line ${mutant.line}: ${mutant.what}: ${verdict}`);
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
