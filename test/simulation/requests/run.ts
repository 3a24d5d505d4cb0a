import { pino } from "pino";
import { createIndexPosition } from "../../../db/chain/index-position.ts";
import { inTransaction, type Pool } from "../../../db/core/pool.ts";
import { createWatch } from "../../../indexer/outbox/send-and-watch.ts";
import { createSweep } from "../../../indexer/sweep.ts";
import { createSync } from "../../../indexer/sync/sync.ts";
import { NodeError } from "../../../rpc/errors/node-error.ts";
import { type SimulatedChain, simulatedChain } from "./chain.ts";
import { type Command, fateOf, type Story, type Turn } from "./commands.ts";
import { compareHistories, compareStates, failure } from "./compare.ts";
import { type Asked, afterLooking, afterReading, maySend, mustBeSent } from "./model.ts";
import { act, confirmations, type Person, person, refuse, registry, sendersOf } from "./person.ts";

const log = pino({ level: process.env["TEST_LOG_LEVEL"] ?? "silent" });

/**
 * Lets a story happen to the service's own functions, an index that reads a simulated chain, and the model.
 * @returns the states that requests were in
 * @throws where the service says of a request something else than the model
 */
export async function run(pool: Pool, story: Story, seed: string): Promise<string[]> {
  const chain = simulatedChain(registry, seed);
  const people = story.authors.map((_, index) => person(`${seed} ${index}`));
  await pool.query("truncate chain.blocks, chain.cursor, service.requests cascade");
  await inTransaction(pool, (tx) =>
    createIndexPosition(tx, {
      chainId: registry.chainId,
      registry: registry.address,
      startBlock: 0,
      headNumber: 0,
    }),
  );
  const service = startService(pool, chain, people);
  const steps = Math.max(...story.authors.map(({ length }) => length));
  for (let step = 0; step < steps; step += 1) {
    const turn = story.turns[step];
    await Promise.all(
      people.map((who, index) => act(pool, chain, who, story.authors[index]?.[step] ?? { do: "nothing" })),
    );
    const mining = people.filter((_, index) => isMined(story.authors[index]?.[step]));
    chain.mine(mining.flatMap(sendersOf), turn?.empty ?? 0);
    if (turn !== undefined && turn.reorg > 0) await reorganise(pool, chain, people, turn);
    try {
      await service.settle(turn);
      await compareStates(pool, chain, people);
    } catch (error) {
      throw new Error(`after step ${step}: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      });
    }
  }
  await compareHistories(pool, people);
  return people.flatMap(({ asked }) =>
    asked.flatMap(({ call, seen }) => seen.map((state) => `${call.kind} ${state}`)),
  );
}

const isMined = (command: Command | undefined) =>
  command !== undefined &&
  (["mine", "found", "carry out"].includes(command.do) ||
    ("carriedOut" in command && command.carriedOut !== "no"));

async function reorganise(pool: Pool, chain: SimulatedChain, people: readonly Person[], turn: Turn) {
  const fates = new Map(
    people.flatMap(({ address, stranger }, index) => {
      const fate = fateOf(turn, index);
      return [[address, fate !== "nothing"] as const, [stranger, fate === "all"] as const];
    }),
  );
  const lost = chain.reorg(turn.reorg, ({ sender }) => fates.get(sender) === true);
  for (const who of people) {
    who.lost.push(...lost.filter(({ sender }) => sendersOf(who).includes(sender)));
    for (const one of who.asked) {
      one.usedSince = undefined;
      for (const known of one.known.values()) {
        if (known.missing) known.endingSince = undefined;
      }
    }
  }
  // Some of them begin to be missing anew, by what the reorg took: all do.
  await pool.query(
    `update service.transactions set missing_since = now(), rejected_since = now(), rejected_block = null
     where missing_since is not null`,
  );
}

function startService(pool: Pool, chain: SimulatedChain, people: readonly Person[]) {
  const create = () => ({
    sync: createSync({ pool, node: chain.node, confirmations, log }),
    watch: createWatch({ pool, node: chain.node, log, repeats: { attempts: 1, seconds: 0 } }),
    sweep: createSweep(pool),
  });
  let service = create();

  const all = (): Asked[] => people.flatMap(({ asked }) => asked);

  async function read(): Promise<void> {
    while (await service.sync.step());
  }

  async function passUntilDone(): Promise<void> {
    await pool.query("update service.transactions set next_attempt_at = now()");
    await pool.query("update service.reported_hashes set next_attempt_at = now()");
    for (let passes = 0; passes < 20; passes += 1) {
      try {
        await service.watch.pass();
        await service.sweep(new AbortController().signal);
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        service = create();
      }
      const { rows } = await pool.query<{ due: number }>(
        `select (select count(*) from service.transactions sent join service.requests on id = request_id
           where not settled and hopeless is null and by_author and next_attempt_at <= now())
         + (select count(*) from service.reported_hashes reported join service.requests on id = request_id
           where not settled and next_attempt_at <= now()
             and not exists (select from service.transactions sent where sent.hash = reported.hash)) as due`,
      );
      if (Number(rows[0]?.due) === 0) return;
    }
    throw new Error("the service is not done with looking");
  }

  /** Every transaction is due, and is looked at once; what is sent must be right, and nothing may be left out. */
  async function look(): Promise<void> {
    const before = chain.sends.length;
    // Of two requests for the same link, the transaction of one can be the other's, too.
    const asked = Map.groupBy(
      all().flatMap((one) => [...one.known].map(([hash, { raw }]) => ({ one, hash, raw }))),
      ({ hash }) => hash,
    );
    const wrong: Error[] = [];
    chain.watchSends((hash) => {
      const senders = (asked.get(hash) ?? []).filter(({ raw }) => raw).map(({ one }) => one);
      if (senders.some((one) => maySend(one, hash, chain, confirmations))) return;
      const [sender] = senders;
      const problem = `${hash} was sent, and must not be`;
      wrong.push(sender === undefined ? new Error(problem) : failure(sender, problem, chain));
    });
    chain.watchLosses(async (hash) => {
      for (const { one } of asked.get(hash) ?? []) if (one.refusesLate) await refuse(pool, chain, one);
    });
    const due = all().flatMap((one) => {
      const hash = mustBeSent(one, chain, confirmations);
      return hash === undefined ? [] : [{ one, hash }];
    });
    await passUntilDone();
    if (wrong[0] !== undefined) throw wrong[0];
    const sends = chain.sends.slice(before);
    for (const { one, hash } of due) {
      if (!one.refused && !sends.some((send) => send.hash === hash))
        throw failure(one, `${hash} was not sent`, chain);
    }
    for (const one of all()) afterLooking(one, chain, sends, confirmations);
  }

  return {
    /** Until the service has seen everything, and the model has been told that it has. */
    async settle(turn: Turn | undefined): Promise<void> {
      if (turn?.crash === "between") service = create();
      if (turn?.crash === "while sending") chain.loseAnswer();
      await read();
      for (const one of all()) afterReading(one, chain);
      await look();
      if (!turn?.minute) return;
      await pool.query(
        `update service.transactions set missing_since = missing_since - interval '1 minute',
           rejected_since = rejected_since - interval '1 minute'`,
      );
      await look();
    },
  };
}
