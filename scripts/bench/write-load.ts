import { setTimeout as sleep } from "node:timers/promises";
import { type Hex, toEventSelector } from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import type { Anvil } from "../../test/support/chain/anvil.ts";
import { createCaller } from "./caller.ts";
import { document, seededRandom } from "./documents.ts";
import { atRate, type Call, fundAuthors, register } from "./registration.ts";

export type Place = {
  apiUrl: string;
  apiKey: string;
  floorUrl: string;
  anvil: Anvil;
  registry: Registry;
  /** Processor seconds that each part has used so far. */
  cpuSeconds(): Map<string, number>;
};

/** Times in milliseconds, from sending a call until its answer has come whole. */
export type Measured = {
  times: Record<"floor" | "create" | "read" | "submit" | "poll", number[]>;
  requested: number;
  confirmed: number;
  onChain: number;
  /** Of the run, and from the last request until the last asset was Confirmed. */
  seconds: number;
  lastConfirmedAfter: number;
  pollRate: number;
  /** Of the run, until the last asset was Confirmed, by the part that used them. */
  cpuSeconds: Map<string, number>;
};

const created = toEventSelector(
  "AssetCreated(bytes32,address,bytes32,(string,string,string,string,string,string,string,string))",
);
const followSeconds = 120;

export type Load = { seconds: number; rate: number; polls: number; authors: number };

/** @throws where an answer is not what it should be, or an asset is lost or made twice */
export async function writeLoad(load: Load, place: Place): Promise<Measured> {
  const { ask, close } = createCaller();
  const { apiUrl, anvil, registry } = place;
  const headers = { "x-api-key": place.apiKey, "content-type": "application/json" };
  const authors = await fundAuthors(anvil, load.authors);
  const times: Measured["times"] = { floor: [], create: [], read: [], submit: [], poll: [] };
  const random = seededRandom(1);
  const ids: Hex[] = [];

  async function timed<Value>(of: keyof typeof times, method: string, url: string, body?: object) {
    const begin = performance.now();
    const { status, text } = await ask(method, url, headers, body && JSON.stringify(body));
    times[of].push(performance.now() - begin);
    if (status >= 300) throw new Error(`${method} ${url} was answered ${status}: ${text.slice(0, 500)}`);
    return JSON.parse(text) as { value: Value };
  }

  const call: Call = (step, method, path, body) => timed(step, method, apiUrl + path, body);

  async function registerOne(author: PrivateKeyAccount): Promise<void> {
    const details = document(random);
    const body = { ...details, author: author.address };
    const inserted = timed("floor", "POST", `${place.floorUrl}/insert`, body);
    inserted.catch(() => undefined);
    await register(call, author, details, (id) => void ids.push(id));
    await inserted;
  }

  const cpuBefore = place.cpuSeconds();
  const begin = performance.now();
  const polling = pollStates(load, async () => {
    const id = ids[Math.floor(random() * ids.length)];
    if (id !== undefined) await timed("poll", "GET", `${apiUrl}/assets/${id}/status`);
  });
  // A failure shows at the end; until then nobody listens.
  polling.catch(() => undefined);
  await atRate(load, authors, registerOne);
  const seconds = (performance.now() - begin) / 1000;
  await polling;
  const asked = times.poll.length;

  const confirmed = await untilConfirmed(ids, async (id) => {
    const { text } = await ask("GET", `${apiUrl}/assets/${id}/status`, headers);
    return (JSON.parse(text) as { value: { state: string } }).value.state;
  });
  close();
  const lastConfirmedAfter = (performance.now() - begin) / 1000 - seconds;
  const cpuSeconds = place.cpuSeconds();
  for (const [part, used] of cpuSeconds) cpuSeconds.set(part, used - (cpuBefore.get(part) ?? 0));
  return {
    times,
    requested: ids.length,
    confirmed,
    onChain: await countOnChain(anvil, registry, ids),
    seconds,
    lastConfirmedAfter,
    pollRate: asked / seconds,
    cpuSeconds,
  };
}

/** Asks at the wished rate, some at once, until the time is over. */
async function pollStates({ seconds, polls }: Load, poll: () => Promise<void>): Promise<void> {
  const begin = performance.now();
  const asking = new Set<Promise<void>>();
  let problem: unknown;
  for (let made = 0; made < polls * seconds; ) {
    const due = Math.min(polls * seconds, ((performance.now() - begin) / 1000) * polls);
    // Bounds the concurrent requests to those of a pool of callers.
    for (; made < due && asking.size < 50; made += 1) {
      const one = poll()
        .catch((error: unknown) => {
          problem = error;
        })
        .finally(() => asking.delete(one));
      asking.add(one);
    }
    if (problem !== undefined) throw problem;
    if (performance.now() - begin > seconds * 1000) break;
    await sleep(5);
  }
  await Promise.all(asking);
}

async function untilConfirmed(ids: readonly Hex[], stateOf: (id: Hex) => Promise<string>): Promise<number> {
  const open = new Set(ids);
  for (const giveUp = performance.now() + followSeconds * 1000; open.size > 0; ) {
    for (const id of open) {
      const state = await stateOf(id);
      if (state === "Confirmed") open.delete(id);
      else if (state.startsWith("Revoked")) throw new Error(`The asset ${id} ended as ${state}`);
      else break;
    }
    if (performance.now() > giveUp) break;
    await sleep(50);
  }
  return ids.length - open.size;
}

/** @throws where the creations on the chain differ from those requested */
async function countOnChain(anvil: Anvil, { address }: Registry, ids: readonly Hex[]): Promise<number> {
  const filter = { address, topics: [created], fromBlock: "0x0", toBlock: "latest" };
  const logs = await anvil.rpc<{ topics: Hex[] }[]>("eth_getLogs", [filter]);
  const onChain = new Set(logs.map(({ topics }) => topics[1]));
  const strange = logs.length !== onChain.size || !ids.every((id) => onChain.has(id));
  if (strange || onChain.size !== ids.length) {
    throw new Error(`${ids.length} assets were requested, and the chain has ${logs.length} creations`);
  }
  return onChain.size;
}
