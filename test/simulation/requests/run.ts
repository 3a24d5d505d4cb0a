import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { type Address, getAddress, keccak256, toHex } from "viem";
import { createCursor } from "../../../db/cursor.ts";
import { historyOf, noteStates } from "../../../db/history.ts";
import { inTransaction, type Pool } from "../../../db/pool.ts";
import { type Change, findRequests, insertRequest, storeRefusal } from "../../../db/requests.ts";
import { storeHint } from "../../../db/transaction-hints.ts";
import { storeSigned } from "../../../db/transactions.ts";
import { deriveState } from "../../../domain/state.ts";
import { assetId, type Registry } from "../../../domain/typed-data.ts";
import { createSync } from "../../../indexer/sync.ts";
import { createWatch } from "../../../indexer/watch.ts";
import { calldataOf, sampleDetails } from "../../support/rig.ts";
import { type Sent, type SimulatedChain, simulatedChain } from "./chain.ts";
import type { Command, Story } from "./commands.ts";
import { type Asked, afterLooking, afterReading, expectedState, isOver } from "./model.ts";

const registry: Registry = { chainId: 31_337, address: "0x5FbDB2315678afecb367f032d93F642f64180aa3" };
const confirmations = 5;
const log = pino({ level: process.env["TEST_LOG_LEVEL"] ?? "silent" });

/** Everything that one author has done. */
type Person = { address: Address; asked: Asked[]; lost: Sent[] };

/**
 * Lets a story happen to the service's own functions, an index that reads a simulated chain, and the model.
 * @returns the states that requests were in
 * @throws where the service says of a request something else than the model
 */
export async function run(pool: Pool, story: Story, seed: string): Promise<string[]> {
  const chain = simulatedChain(registry, seed);
  const people = story.authors.map(
    (_, index): Person => ({
      address: getAddress(keccak256(toHex(`${seed} author ${index}`)).slice(0, 42)),
      asked: [],
      lost: [],
    }),
  );
  await pool.query("truncate chain.blocks, chain.cursor, service.requests cascade");
  await inTransaction(pool, (tx) =>
    createCursor(tx, { chainId: registry.chainId, registry: registry.address, startBlock: 0, headNumber: 0 }),
  );
  let service = start(pool, chain);
  const steps = Math.max(...story.authors.map(({ length }) => length));
  for (let step = 0; step < steps; step += 1) {
    const turn = story.turns[step];
    const before = chain.refusals.length;
    await Promise.all(
      people.map((person, index) =>
        act(pool, chain, person, story.authors[index]?.[step] ?? { do: "nothing" }),
      ),
    );
    const mining = people.filter((_, index) => story.authors[index]?.[step]?.do === "mine");
    chain.mine(
      mining.map(({ address }) => address),
      turn?.empty ?? 0,
    );
    if (turn !== undefined && turn.reorg > 0) {
      const lost = chain.reorg(turn.reorg, turn.keep);
      for (const person of people)
        person.lost.push(...lost.filter(({ author }) => author === person.address));
    }
    if (turn?.crash) service = start(pool, chain);
    await service.settle(people, before);
    await compare(pool, chain, people, step);
  }
  await compareHistories(pool, people);
  return people.flatMap(({ asked }) =>
    asked.flatMap(({ call, seen }) => seen.map((state) => `${call.kind} ${state}`)),
  );
}

function start(pool: Pool, chain: SimulatedChain) {
  const sync = createSync({ pool, node: chain.node, confirmations, log });
  const watch = createWatch({ pool, node: chain.node, log });
  const read = async () => {
    while (await sync.step());
  };

  /** Every transaction is due, and is looked at once. */
  async function look(): Promise<void> {
    await pool.query("update service.transactions set next_look_at = now()");
    await pool.query("update service.transaction_hints set next_look_at = now()");
    for (let passes = 0; passes < 10; passes += 1) {
      await watch.pass();
      const { rows } = await pool.query<{ due: number }>(
        `select count(*) as due from service.transactions sent join service.requests on id = request_id
         where not settled and hopeless is null and next_look_at <= now()`,
      );
      if (rows[0]?.due === 0) return;
    }
    throw new Error("the service is not done with looking");
  }

  return {
    /** Until the service has seen everything, and the model has been told that it has. */
    async settle(people: readonly Person[], refusalsBefore: number): Promise<void> {
      const all = people.flatMap(({ asked, address }) => asked.map((one) => ({ one, address })));
      await read();
      for (const { one } of all) afterReading(one, chain);
      // Twice, with a minute between: what the node is without at once may only have been late.
      await look();
      await pool.query("update service.transactions set missing_since = missing_since - interval '1 minute'");
      await look();
      const refusals = chain.refusals.slice(refusalsBefore);
      for (const { one, address } of all) afterLooking(one, chain, address, refusals);
      chain.mine([], 0);
      await read();
    },
  };
}

async function act(pool: Pool, chain: SimulatedChain, person: Person, command: Command): Promise<void> {
  const { address: author, asked, lost } = person;
  const pending = chain.poolOf(author);
  const next = chain.nonceOf(author) + pending.length;
  const simply = { author, enoughGas: true };
  const send = (sent: Sent): boolean => {
    const replaced = pending.find(({ nonce }) => nonce === sent.nonce);
    const taken = chain.send(sent);
    if (taken && replaced !== undefined) lost.push(replaced);
    if (!taken) lost.push(sent);
    return taken;
  };
  switch (command.do) {
    case "create":
      return create(pool, person);
    case "link":
    case "revoke":
      return changeLink(pool, chain, person, command.do);
    case "hand in":
    case "send": {
      const one = asked.at(-1 - (command.which % Math.max(1, asked.length)));
      if (one === undefined) return;
      const over = isOver(expectedState(one, chain, author, confirmations));
      // What the service says of a request stops no wallet.
      if (over && command.do === "hand in") return;
      const mine = [...one.known.values()].map(({ nonce }) => nonce);
      const sent = chain.sign({
        ...simply,
        nonce: command.again ? (mine.at(-1) ?? next) : next,
        fee: command.fee,
        enoughGas: command.enoughGas,
        call: one.call,
        calldata: one.calldata,
      });
      if (command.do === "hand in") {
        await inTransaction(pool, async (tx) => {
          await storeSigned(tx, one.id, { ...sent, description: undefined });
          await noteStates(tx, [one.id]);
        });
        one.known.set(sent.hash, { nonce: sent.nonce, raw: true, accepted: false, hopeless: false });
        // The wallet may send it, too.
        lost.push(sent);
      } else if (send(sent) && command.tell && !over) {
        await inTransaction(pool, (tx) => storeHint(tx, one.id, sent.hash));
        one.known.set(sent.hash, { nonce: sent.nonce, raw: false, accepted: true, hopeless: false });
      }
      return;
    }
    case "cancel": {
      const first = pending[0];
      const nonce = first?.nonce ?? next;
      const call = { kind: "other" } as const;
      send(chain.sign({ ...simply, nonce, fee: (first?.fee ?? 0) + 1, call, calldata: "0x" }));
      return;
    }
    case "speed up": {
      const first = pending[0];
      if (first === undefined) return;
      send(chain.sign({ ...first, fee: first.fee + 1 }));
      return;
    }
    case "drop": {
      const first = pending[0];
      if (first === undefined) return;
      chain.pool.delete(first.hash);
      lost.push(first);
      return;
    }
    case "send again": {
      const again = lost.pop();
      if (again !== undefined) send(again);
      return;
    }
    case "refuse": {
      const one = asked.at(-1 - (command.which % Math.max(1, asked.length)));
      if (one === undefined || isOver(expectedState(one, chain, author, confirmations))) return;
      await inTransaction(pool, async (tx) => {
        await storeRefusal(tx, one.id, "0x01");
        await noteStates(tx, [one.id]);
      });
      one.refused = true;
      return;
    }
    case "expire": {
      const one = asked.at(-1 - (command.which % Math.max(1, asked.length)));
      if (one === undefined) return;
      await pool.query("update service.requests set expires_at = now() where id = $1", [one.id]);
      one.expired = true;
      return;
    }
    case "mood":
      return chain.setMood(author, command.mood);
  }
}

async function ask(pool: Pool, person: Person, assetOf: `0x${string}`, change: Change, call: Asked["call"]) {
  const id = randomUUID();
  const calldata = calldataOf(assetOf, change);
  const nth = change.kind === "create" ? 0 : (change.targets[0]?.nth ?? 0);
  await inTransaction(pool, async (tx) => {
    await insertRequest(tx, {
      id,
      tenant: "model",
      author: person.address,
      assetId: assetOf,
      registry,
      calldata,
      ttl: 3_600,
      change,
    });
    await noteStates(tx, [id]);
  });
  const base = { refused: false, expired: false, givenUp: undefined, seen: ["Received"] };
  person.asked.push({ id, call, calldata, nth, known: new Map(), ...base });
}

async function create(pool: Pool, person: Person): Promise<void> {
  const salt = keccak256(toHex(`${person.address} ${person.asked.length}`));
  const details = sampleDetails;
  const asset = assetId(registry, { author: person.address, salt, details });
  await ask(pool, person, asset, { kind: "create", salt, details }, { kind: "create", asset, salt, details });
}

/** A link between the author's first two assets, where the chain allows the change and nobody waits for it yet. */
async function changeLink(pool: Pool, chain: SimulatedChain, person: Person, kind: "link" | "revoke") {
  const [parent, child] = person.asked.flatMap(({ call }) => (call.kind === "create" ? [call.asset] : []));
  if (parent === undefined || child === undefined) return;
  const { assets, standing } = chain.state();
  if (!assets.has(parent) || !assets.has(child)) return;
  if (standing.has(parent + child) !== (kind === "revoke")) return;
  const waits = person.asked.some(
    (one) => one.call.kind === kind && !isOver(expectedState(one, chain, person.address, confirmations)),
  );
  if (waits) return;
  const made = chain
    .executed()
    .filter(
      ({ sent, succeeded }) => succeeded && sent.call.kind === "link" && sent.call.parent === parent,
    ).length;
  const nth = kind === "link" ? made + 1 : made;
  await ask(pool, person, parent, { kind, targets: [{ child, nth }] }, { kind, parent, child });
}

/** What the service says of each request, held against the model. */
async function compare(
  pool: Pool,
  chain: SimulatedChain,
  people: readonly Person[],
  step: number,
): Promise<void> {
  const all = people.flatMap(({ asked, address }, index) => asked.map((one) => ({ one, address, index })));
  const found = new Map(
    (
      await findRequests(
        pool,
        all.map(({ one }) => one.id),
      )
    ).map((request) => [request.id, deriveState(request.facts)]),
  );
  for (const { one, address, index } of all) {
    const expected = expectedState(one, chain, address, confirmations);
    const said = found.get(one.id);
    const named =
      expected.reason === undefined ||
      !["REFUSED", "NONCE_USED", "EXPIRED", "DROPPED"].includes(expected.reason);
    if (said?.state !== expected.state || (!named && said.reason !== expected.reason)) {
      throw new Error(
        `author ${index}, request ${person(one)} after step ${step}: the service says ${JSON.stringify(said)}, ` +
          `the model ${JSON.stringify(expected)}; ${JSON.stringify([...one.known.values()])}`,
      );
    }
    if (one.seen.at(-1) !== expected.state) one.seen.push(expected.state);
  }
}

const person = ({ id, call }: Asked) => `${id} (${call.kind})`;

/** Each change stands in the history once, the newest is what holds, and nothing that was seen is missing. */
async function compareHistories(pool: Pool, people: readonly Person[]): Promise<void> {
  for (const one of people.flatMap(({ asked }) => asked)) {
    const history = await historyOf(pool, one.id);
    const said = history.map(({ state }) => state);
    const twice = history.findIndex(
      ({ state, reason }, index) =>
        index > 0 && state === history[index - 1]?.state && reason === history[index - 1]?.reason,
    );
    if (twice !== -1) throw new Error(`${person(one)}: ${said[twice]} stands twice in ${said.join()}`);
    if (said.at(-1) !== one.seen.at(-1))
      throw new Error(`${person(one)}: ${said.join()} ends otherwise than ${one.seen.join()}`);
    let place = 0;
    for (const state of said) if (state === one.seen[place]) place += 1;
    if (place < one.seen.length)
      throw new Error(`${person(one)}: ${one.seen.join()} is not in ${said.join()}`);
  }
}
