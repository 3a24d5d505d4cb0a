import type { Logger } from "pino";
import { type Hex, parseGwei } from "viem";
import { inTransaction, type Pool } from "../../db/core/pool.ts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import { recordRelayer } from "../../db/service/relays/relayer.ts";
import { mostOf, openNonces, type PlannedNonce } from "../../db/service/relays/relayer-nonces.ts";
import { relaysDue, someWaitFor } from "../../db/service/relays/waiting-relays.ts";
import { findRequest } from "../../db/service/requests/find.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import { type RelayerObstacle, type RelayerTrouble, relayerProblem } from "../../domain/relayer/problem.ts";
import { isClosed } from "../../domain/request/state.ts";
import type { Header } from "../../rpc/calls/header.ts";
import type { Node } from "../../rpc/node.ts";
import { type RequiredRepeats, usualRepeats } from "../outbox/repeated-answer.ts";
import { createDataFee } from "./data-fee.ts";
import { createEarlierKeys } from "./earlier-keys.ts";
import { endOverdue } from "./ending.ts";
import { createEstimates } from "./estimates.ts";
import { createFillers } from "./fillers.ts";
import { reconcile } from "./mined.ts";
import { createPlanning } from "./planning.ts";
import { createReplacement } from "./replacement.ts";
import { createSigning } from "./signing.ts";
import { createSubmitting, type Obstacle } from "./submitting.ts";

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
/** Blocks and time after which the lowest nonce counts as stuck, although its fee is high enough. */
const held = { blocks: 10, seconds: 300 };

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
      const earlier = await earlierKeys.pass(work?.address, head, cursor);
      await work?.pass({ head, cursor }, earlier);
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
  const submitting = createSubmitting(dependencies, signing);
  const fillers = createFillers({ pool, node, signing, submitting, dataFee, limits });
  const advance = createReplacement({ pool, node, signing, submitting, fillers, limits });
  const planning = createPlanning(dependencies, signing, limits, dataFee);
  const estimates = createEstimates(planning.estimate);
  let logged: string | undefined;

  /** Sends as many waiting signatures as there is room for. @returns the relayer's obstacle, if one was met */
  async function begin(
    now: Now & { expected: number },
    free: number,
    balance: bigint,
  ): Promise<RelayerObstacle | undefined> {
    let [available, room] = [balance, free];
    let obstacle: RelayerObstacle | undefined;
    if (room <= 0) return obstacle;
    for (const { waiting, estimate } of await estimates.of(await relaysDue(pool, atOnce))) {
      if (room <= 0) break;
      const plan = await planning.plan(waiting, estimate, { ...now, available });
      obstacle = plan.obstacle ?? obstacle;
      if (plan.planned === undefined) continue;
      const { one, attempt, cost } = plan.planned;
      available -= cost;
      room -= 1;
      // The author may have refused it since.
      const still = await findRequest(pool, waiting.requestId);
      if (still === undefined || isClosed(still.facts)) continue;
      if ((await submitting.submit(one, attempt, now.head)) === "balance") obstacle = "LOW_BALANCE";
    }
    return obstacle;
  }

  return {
    address,
    pass: async (now: Now, earlier: RelayerTrouble["earlier"]): Promise<void> => {
      const { head, cursor } = now;
      const [balance, counted] = await Promise.all([node.balance(address), node.nonceAt(address, head.hash)]);
      const expected = Number(counted);
      const planned = await openNonces(pool, address);
      await reconcile(dependencies, address, planned, expected, cursor);
      const unmined = planned.filter(
        ({ nonce, minedBlock }) => minedBlock === undefined && nonce >= expected,
      );
      const met: (Obstacle | undefined)[] = [];
      for (const one of unmined) met.push(await advance(one, unmined, now));
      const available = balance - unmined.reduce((sum, one) => sum + mostOf(one), 0n);
      const waiting = await begin({ ...now, expected }, mostUnderWay - unmined.length, available);
      met.push(await fillers.fillGaps(unmined, expected, now));
      // Waiting ones are not checked in every pass.
      const isPoor = met.includes("LOW_BALANCE") || (await someWaitFor(pool, "LOW_BALANCE"));
      const obstacle = isPoor ? "LOW_BALANCE" : (waiting ?? met.find((one) => one === "OVER_MAX_FEE"));
      const stuck = stuckNonce(unmined, expected, head);
      const problem = relayerProblem({ obstacle, stuck, earlier: undefined });
      if (problem !== undefined && problem !== logged) {
        log.error({ address, err: { message: problem } }, "relayer waiting");
      }
      logged = problem;
      await inTransaction(pool, (tx) =>
        recordRelayer(tx, { address, balance, dailyBudget, obstacle, stuck, earlier }),
      );
    },
  };
}

/** The next nonce of the relayer, if it has not been mined for long and so blocks all later ones. */
function stuckNonce(
  unmined: readonly PlannedNonce[],
  expected: number,
  head: Header,
): RelayerTrouble["stuck"] {
  const lowest = unmined.find(({ nonce }) => nonce === expected);
  if (lowest === undefined) return undefined;
  const blocks = head.number - (lowest.plannedBlock ?? head.number);
  const seconds = (Date.now() - lowest.plannedAt.getTime()) / 1000;
  if (blocks < held.blocks && seconds < held.seconds) return undefined;
  return { nonce: lowest.nonce, since: lowest.plannedAt };
}
