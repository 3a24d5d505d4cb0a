import type { Logger } from "pino";
import { type Hex, parseGwei } from "viem";
import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import { recordRelayer } from "../../db/service/relays/relayer.ts";
import { mostOf, openNonces } from "../../db/service/relays/relayer-nonces.ts";
import { relaysDue, someWaitFor } from "../../db/service/relays/waiting-relays.ts";
import { findRequest } from "../../db/service/requests/find.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import { isClosed } from "../../domain/request/state.ts";
import type { Header } from "../../rpc/calls/header.ts";
import type { Node } from "../../rpc/node.ts";
import { type RequiredRepeats, usualRepeats } from "../outbox/repeated-answer.ts";
import { createDataFee } from "./data-fee.ts";
import { createEarlierKeys } from "./earlier-keys.ts";
import { endOverdue } from "./ending.ts";
import { createEstimates } from "./estimates.ts";
import { reconcile } from "./mined.ts";
import { createPlanning, lowBalance } from "./planning.ts";
import { createSigning } from "./signing.ts";
import { createUnderWay, overMaxFee, stuckNonce } from "./under-way.ts";

export type RelayerSettings = {
  key: Hex;
  /** Budget of one tenant's requests for a day, in wei. */
  dailyBudget: bigint;
  /** Highest fee per gas, in wei. */
  maxFee?: bigint | undefined;
};
const usualMaxFee = parseGwei("500");
type Dependencies = { pool: Pool; node: Node; log: Logger; repeats?: RequiredRepeats };
/** The newest indexed block, against which everything is checked. */
type Now = { head: Header; cursor: IndexPosition };

/** Pending transactions of one account that nodes keep. */
const mostUnderWay = 16;
/** Largest lag of the index, in blocks, at which transactions are sent. */
const mostBehind = 5;
const atOnce = 50;

/** Relays what authors signed and pays for it. Without a key it only handles transactions of earlier keys. */
export function createRelayer(given: Dependencies, settings: RelayerSettings | undefined) {
  const dependencies = { repeats: usualRepeats, ...given };
  const { pool, node } = dependencies;
  const earlierKeys = createEarlierKeys(dependencies);
  const work = settings && createWork(dependencies, settings);

  return {
    pass: async (): Promise<void> => {
      // On another block than the index's, a change that a reorg just removed would seem to stand.
      const cursor = await readIndexPosition(pool);
      if (cursor === undefined || cursor.haltedReason !== undefined) return;
      if (cursor.headNumber - cursor.blockNumber > mostBehind) return;
      const head = await node.header(Math.max(0, cursor.blockNumber));
      if (head === undefined || head.hash !== cursor.blockHash) return;
      const final = cursor.finalNumber < 0 ? undefined : await node.header(cursor.finalNumber);
      if (final !== undefined) await endOverdue(pool, final);
      const old = await earlierKeys.pass(work?.address, head, cursor);
      await work?.pass({ head, cursor }, old);
    },
  };
}

function createWork(
  dependencies: Required<Dependencies>,
  { key, dailyBudget, maxFee = usualMaxFee }: RelayerSettings,
) {
  const { pool, node, log } = dependencies;
  const signing = createSigning(key);
  const { address } = signing;
  const limits = { dailyBudget, maxFee };
  const dataFee = createDataFee(pool, node);
  const underWay = createUnderWay(dependencies, signing, limits, dataFee);
  const planning = createPlanning(dependencies, signing, limits, dataFee);
  const estimates = createEstimates(planning.estimate);
  let logged: string | undefined;

  /** Sends as many waiting signatures as there is room for. @returns why all of them wait, if they do */
  async function begin(now: Now & { expected: number }, free: number, balance: bigint) {
    let [available, room, problem] = [balance, free, undefined as string | undefined];
    if (room <= 0) return problem;
    for (const { waiting, estimate } of await estimates.of(await relaysDue(pool, atOnce))) {
      if (room <= 0) break;
      const planned = await planning.plan(waiting, estimate, { ...now, available });
      if (planned === undefined) continue;
      if (typeof planned === "string") {
        problem = planned;
        continue;
      }
      available -= planned.cost;
      room -= 1;
      // The author may have refused it since.
      const still = await findRequest(pool, waiting.requestId);
      if (still === undefined || isClosed(still.facts)) continue;
      if ((await underWay.send(planned.one, planned.attempt, now)) === "balance") problem = lowBalance;
    }
    return problem;
  }

  return {
    address,
    pass: async (now: Now, earlier: string | undefined): Promise<void> => {
      const { head, cursor } = now;
      const [balance, counted] = await Promise.all([node.balance(address), node.nonceAt(address, head.hash)]);
      const expected = Number(counted);
      const planned = await openNonces(pool, address);
      await reconcile(dependencies, address, planned, expected, cursor);
      const unmined = planned.filter(
        ({ nonce, minedBlock }) => minedBlock === undefined && nonce >= expected,
      );
      const obstacles: (string | undefined)[] = [];
      for (const one of unmined) obstacles.push(await underWay.lookAfter(one, unmined, now));
      const available = balance - unmined.reduce((sum, one) => sum + mostOf(one), 0n);
      const waiting = await begin({ ...now, expected }, mostUnderWay - unmined.length, available);
      obstacles.push(await underWay.fillGaps(unmined, expected, now));
      // Waiting ones are not checked in every pass.
      const isPoor = obstacles.includes("balance") || (await someWaitFor(pool, lowBalance));
      const stuck = stuckNonce(unmined, expected, head);
      const why = isPoor ? lowBalance : (waiting ?? (obstacles.includes("fee") ? overMaxFee : undefined));
      const problem = stuck === undefined ? why : stuckProblem(stuck, why);
      if (problem !== undefined && problem !== logged) {
        log.error({ address, err: { message: problem } }, "relayer waiting");
      }
      logged = problem;
      await inTransaction(pool, (tx) =>
        recordRelayer(tx, { address, balance, dailyBudget, problem: problem ?? earlier, stuck }),
      );
    },
  };
}

function stuckProblem({ nonce, since }: { nonce: number; since: Date }, why: string | undefined): string {
  const problem = `no block has taken nonce ${nonce} of the relayer since ${since.toISOString()}, and all later ones wait`;
  return why === undefined ? problem : `${problem}: ${why}`;
}
