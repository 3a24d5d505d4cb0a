import { Agent } from "node:http";
import { createRandom } from "../simulation/random.ts";
import { keys } from "../support/api.ts";
import { other, owner, third } from "../support/chain/accounts.ts";
import { connect } from "../support/connect.ts";
import { type Service, startService } from "../support/service.ts";
import { problemOf } from "./check.ts";
import { sendMangled } from "./mangled.ts";
import { type Asker, type FuzzRequest, nextRequest, type Tenant } from "./request.ts";
import { type FuzzAnswer, sendFuzz } from "./send.ts";
import type { Known } from "./values.ts";

export type FuzzResult = {
  requests: number;
  statuses: Map<number, number>;
  problems: string[];
  /** Of the process, which holds service and fuzzer: when a tenth was sent, and at the end. */
  rssMiB: [number, number];
  /** Longest time of an answer, in milliseconds. */
  slowest: number;
};

const workers = 12;
const mostKnown = 400;
const mostProblems = 20;
const mostGrownMiB = 400;

/**
 * Hostile requests against a service with its chain, indexer and database, all of it real. The seed decides what is
 * asked, but for ids and cursors, which come from answers.
 */
export async function fuzz({
  seed,
  requests,
  say,
}: {
  seed: number;
  requests: number;
  say(line: string): void;
}): Promise<FuzzResult> {
  const service = await startService();
  const agent = new Agent({ keepAlive: true, maxSockets: workers });
  try {
    return await run(service, agent, { seed, requests, say });
  } finally {
    agent.destroy();
    await service.stop();
  }
}

async function run(
  service: Service,
  agent: Agent,
  { seed, requests, say }: { seed: number; requests: number; say(line: string): void },
): Promise<FuzzResult> {
  const { known, secrets, tokens } = await prepare(service);
  const result: FuzzResult = { requests: 0, statuses: new Map(), problems: [], rssMiB: [0, 0], slowest: 0 };
  const step = Math.max(1, Math.floor(requests / 10));
  let next = 0;

  const report = (index: number, request: unknown, problem: string) => {
    if (result.problems.length >= mostProblems) return;
    result.problems.push(`request ${index}: ${problem}\n  ${shown(request)}`);
  };

  async function one(index: number): Promise<void> {
    const random = createRandom(seed + index);
    const request = nextRequest(random, known, tokens);
    try {
      if (random.chance(0.005)) {
        const problem = await sendMangled(service.port, random, request);
        if (problem !== undefined) report(index, request, problem);
        return;
      }
      const began = performance.now();
      const answer = await sendFuzz(service.port, agent, request);
      result.slowest = Math.max(result.slowest, performance.now() - began);
      if (answer === undefined) return;
      result.statuses.set(answer.status, (result.statuses.get(answer.status) ?? 0) + 1);
      learn(known, request, answer, secrets);
      const problem = problemOf(request, answer, secrets);
      if (problem !== undefined) report(index, request, problem);
    } catch (error) {
      report(index, request, error instanceof Error ? error.message : String(error));
    }
  }

  let since = { time: performance.now(), cpu: process.cpuUsage() };
  function tellProgress(sent: number): void {
    if (sent % step !== 0) return;
    if (sent === step) result.rssMiB[0] = rss();
    const { user, system } = process.cpuUsage(since.cpu);
    const rate = (step / (performance.now() - since.time)) * 1_000;
    since = { time: performance.now(), cpu: process.cpuUsage() };
    // The rate is also that of whatever else the machine does; the CPU's time is not.
    const cpu = ((user + system) / 1_000 / step).toFixed(2);
    say(`${sent} requests, ${Math.round(rate)} a second, ${cpu} ms of CPU each, ${rss()} MiB`);
  }

  async function work(): Promise<void> {
    while (next < requests && result.problems.length < mostProblems) {
      const index = next;
      next += 1;
      await one(index);
      result.requests += 1;
      tellProgress(result.requests);
      // What the service logs stays in memory here; each line of a fault of ours is told by its answer.
      if (service.lines.length > 10_000) service.lines.length = 0;
      if (result.requests % 500 === 0) await moveOn(service, known["tenant-a"]);
    }
  }

  await Promise.all(Array.from({ length: workers }, work));
  result.rssMiB[1] = rss();
  // What each request leaves behind would be much after so many; what caches and the pools of V8 take is not.
  const grown = result.rssMiB[1] - result.rssMiB[0];
  if (grown > mostGrownMiB) result.problems.push(`memory grew by ${grown} MiB after the first tenth`);
  const { value } = await service.get("/health");
  if (value.alive !== true) result.problems.push("it is not alive at the end");
  return result;
}

const rss = (): number => Math.round(process.memoryUsage().rss / 1024 / 1024);

const shown = (request: unknown): string =>
  JSON.stringify(request, (_key, value: unknown) => {
    if (typeof value !== "string" || value.length <= 400) return value;
    return `${value.slice(0, 400)}… (${value.length} characters)`;
  }).slice(0, 2_000);

type Secrets = Record<Tenant, { words: string; ids: Set<string> }>;
type World = { known: Record<Asker, Known>; secrets: Secrets; tokens: string[] };

/** Assets and links on the chain, requests of two tenants, and a user with wallets. */
async function prepare(service: Service): Promise<World> {
  const nothing = (mark: Known["mark"] = {}): Known => ({
    assets: [],
    transactions: [],
    wallets: [],
    cursors: [],
    signed: [],
    authors: [owner.address, other.address],
    mark,
  });
  const secretOf = (words: string) => ({ words, ids: new Set<string>() });
  const secrets = { "tenant-a": secretOf("secret-of-tenant-a"), "tenant-b": secretOf("secret-of-tenant-b") };
  const marked = ({ words }: Secrets[Tenant]) => ({ name: words, data: words });
  const known = {
    "tenant-a": nothing(marked(secrets["tenant-a"])),
    // Of an author that nobody at tenant A has for a wallet, so that a token opens none of it either.
    "tenant-b": {
      ...nothing({ ...marked(secrets["tenant-b"]), author: third.address }),
      authors: [third.address],
    },
    nobody: nothing(),
  };
  const tokens = [await service.token("alice"), await service.token("bob")];
  await connect(service, tokens[0] ?? "", other);
  for (const name of ["Lease", "Annex", "Lease agreement"]) {
    known["tenant-a"].assets.push((await service.createAsset({ name })).id);
  }
  for (const as of ["tenant-a", "tenant-b"] as const) {
    for (let index = 0; index < 5; index += 1) {
      const { value } = await service.post(
        "/assets/",
        { author: other.address, ...known[as].mark },
        { key: keys[as] },
      );
      known[as].transactions.push(value.transactionId);
      secrets[as].ids.add(value.id).add(value.transactionId);
      // Each tenant has guessed which asset of the other to ask for.
      for (const tenant of ["tenant-a", "tenant-b"] as const) known[tenant].assets.push(value.id);
    }
  }
  return { known, secrets, tokens };
}

/** Keeps what an answer tells, for later requests of the same asker; cursors and asset ids become known to the other tenant. */
function learn(
  known: World["known"],
  { as, body: asked }: FuzzRequest,
  { status, body }: FuzzAnswer,
  secrets: Secrets,
): void {
  if (status >= 300 || body.length > 100_000 || !body.startsWith("{")) return;
  const { value, meta } = JSON.parse(body) as { value?: unknown; meta?: { next?: unknown } };
  const keep = (list: string[], item: unknown) => {
    if (typeof item !== "string") return;
    if (list.length >= mostKnown) list.shift();
    list.push(item);
  };
  const tenants = [known["tenant-a"], known["tenant-b"]];
  for (const { cursors } of tenants) keep(cursors, meta?.next);
  if (status === 200 || typeof value !== "object" || value === null) return;
  const { id, transactionId } = value as { id?: unknown; transactionId?: unknown };
  if (typeof transactionId !== "string") {
    keep(known[as].wallets, id);
    return;
  }
  for (const { assets } of tenants) keep(assets, id);
  keep(known[as].transactions, transactionId);
  if (as === "nobody") return;
  const { words, ids } = secrets[as];
  ids.add(transactionId);
  if (asked?.includes(words)) ids.add(String(id));
}

/** An author signs the newest request that is not to stay off the chain, and a block is mined: so requests come to every state. */
async function moveOn({ rig, ...service }: Service, known: Known): Promise<void> {
  for (const id of known.transactions.slice(-5).reverse()) {
    const { value } = await service.get(`/transactions/${id}`);
    const account = [owner, other].find(({ address }) => address === value.signer);
    const secret = JSON.stringify(value.call).includes(known.mark["name"] ?? "");
    if (secret || account === undefined || value.data === null || value.gas === null) continue;
    const signed = await rig.sign(value.data, { account, nonce: value.nextNonce, gas: BigInt(value.gas) });
    known.signed.push(signed.raw);
    await service.post(`/transactions/${id}/submit`, { signedTransaction: signed.raw });
    break;
  }
  await rig.mine();
}
