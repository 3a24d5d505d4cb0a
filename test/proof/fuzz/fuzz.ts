import {
  checkNames,
  codes,
  type Given,
  type Outcome,
  type Result,
  verifyDocument,
} from "../../../proof/src/proof.ts";
import { createRandom, type Random } from "../../simulation/random.ts";
import { mutate, mutationNames } from "./mutations.ts";
import { createScene, digests, type Truth } from "./scene.ts";
import { lieOf } from "./truth.ts";

export type FuzzReport = {
  problems: string[];
  mutations: number;
  /** How often each code was given, and each verdict of each mutation. */
  codes: Map<string, number>;
  verdicts: Map<string, number>;
  /** Milliseconds that the slowest document took. */
  slowest: number;
};

type FuzzOptions = { seed: number; mutations: number; say: (line: string) => void };

/** Most problems that are reported before the run ends. */
const mostProblems = 20;

/**
 * Verifies proofs of a block after mutations of every kind. No result may say "valid" of what is not true at the
 * block, none may miss a document whose meaning is the same, and none may be thrown.
 */
export async function fuzzProofs({ seed, mutations, say }: FuzzOptions): Promise<FuzzReport> {
  const scene = await createScene();
  const random = createRandom(seed);
  const report: FuzzReport = {
    problems: [],
    mutations: 0,
    codes: new Map(),
    verdicts: new Map(),
    slowest: 0,
  };
  while (report.mutations < mutations && report.problems.length < mostProblems) {
    const name = mutationNames[report.mutations % mutationNames.length] as string;
    const { document, isSame } = mutate(name, random, scene);
    const given = chooseGiven(random, scene.truth);
    const since = performance.now();
    const result = attempt(document, given);
    report.slowest = Math.max(report.slowest, performance.now() - since);
    report.mutations += 1;
    const problem =
      problemOf(document, given, result, scene.truth) ?? (isSame ? missed(given, result) : undefined);
    if (problem !== undefined)
      report.problems.push(`mutation ${report.mutations} (${name}): ${problem}\n${textOf(document)}`);
    if (typeof result !== "string") count(report, name, result);
    if (report.mutations % 100_000 === 0)
      say(`${report.mutations} mutations, ${report.problems.length} wrong`);
  }
  return report;
}

const textOf = (document: string | Uint8Array) =>
  typeof document === "string" ? document : Buffer.from(document).toString();

/** The verifier trusts the block, and sometimes has a file, too. */
function chooseGiven(random: Random, truth: Truth): Given {
  const block = { hash: truth.block.hash, source: "the test" };
  if (random.chance(0.7)) return { block };
  return { block, fileHash: { method: "sha256", digest: random.pick(Object.values(digests)) } };
}

function attempt(document: string | Uint8Array, given: Given): Result | string {
  try {
    return verifyDocument(document, given);
  } catch (error) {
    return String((error as Error).stack);
  }
}

function problemOf(
  document: string | Uint8Array,
  given: Given,
  result: Result | string,
  truth: Truth,
): string | undefined {
  if (typeof result === "string") return `it threw ${result}`;
  const { checks, verdict } = result;
  if (checks.map(({ name }) => name).join() !== checkNames.join()) return "its checks are not all there";
  const odd = checks.find(({ outcome, code }) => !(codes[outcome] as readonly string[]).includes(code));
  if (odd !== undefined) return `${odd.name} is ${odd.outcome} with ${odd.code}`;
  const worst: Outcome | undefined = checks.some(({ outcome }) => outcome === "invalid")
    ? "invalid"
    : undefined;
  if (worst !== undefined && verdict !== worst) return `it says ${verdict} with an invalid check`;
  if (verdict !== "valid") return undefined;
  const lie = lieOf(textOf(document), given.fileHash?.digest, result, truth);
  return lie && `it says valid, but ${lie}`;
}

/** A document that says what the block holds is valid, unless the file is another. */
function missed(given: Given, result: Result | string): string | undefined {
  if (typeof result === "string" || result.verdict === "valid") return undefined;
  const found = result.checks.filter(({ outcome }) => outcome === "invalid").map(({ code }) => code);
  const isAnotherFile = given.fileHash !== undefined && found.join() === "file-differs";
  return isAnotherFile ? undefined : `its meaning is the same, and it says: ${result.words}`;
}

function count(report: FuzzReport, name: string, { checks, verdict }: Result): void {
  const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const code of new Set(checks.map((check) => check.code))) add(report.codes, code);
  add(report.verdicts, `${name}: ${verdict}`);
}
