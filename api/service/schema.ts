import { z } from "zod";
import { requiredConfirmations } from "../assets/state-schema.ts";
import { addressAnswer, countAnswer, timeAnswer } from "../operation/schema-words.ts";

export const nameAnswer = z
  .strictObject({
    name: z.string(),
    version: z.string(),
    description: z.string(),
    links: z.record(z.string(), z.string()),
  })
  .meta({ id: "Service" });

export const healthAnswer = z.strictObject({ alive: z.literal(true) }).meta({ id: "Health" });

export const readyAnswer = z
  .strictObject({ ready: z.literal(true), indexedBlock: z.int(), headBlock: countAnswer })
  .meta({ id: "Readiness" });

const known = countAnswer.nullable();

export const indexStatusAnswer = z
  .strictObject({
    registry: addressAnswer,
    chainId: z.int().min(1).nullable(),
    startBlock: known,
    headBlock: known,
    indexedBlock: known,
    finalBlock: known,
    lag: known,
    confirmations: requiredConfirmations,
    pendingRequests: countAnswer,
    undecodedLogs: countAnswer,
    haltedReason: z.string().nullable(),
    waitingFor: z
      .array(
        z.strictObject({
          work: z.string().meta({ description: "What does not come on, such as `following the chain`" }),
          problem: z.string(),
          provider: z.string().nullable().meta({ description: "Host of the provider that is to blame" }),
          since: timeAnswer,
        }),
      )
      .meta({ description: "What the indexer waits for, the longest first; it tries again by itself" }),
    providers: z
      .array(
        z.strictObject({
          name: z.string().meta({ description: "Host in RPC_URL" }),
          inUse: z.boolean().meta({ description: "Whether the index is read from it now" }),
          up: z.boolean().nullable(),
          since: timeAnswer.nullable().meta({ description: "Since when it is up, or is not" }),
          problem: z.string().nullable(),
          headBlock: known.meta({ description: "Newest block that it has named" }),
          behind: known.meta({ description: "Blocks behind the newest that any of them has named" }),
        }),
      )
      .meta({ description: "The nodes of RPC_URL, as the indexer sees them" }),
    indexerRunning: z.boolean().meta({ description: "Whether an indexer is alive that writes" }),
    relayer: z
      .strictObject({
        address: addressAnswer,
        balance: z.string().meta({ description: "In wei" }),
        problem: z.string().nullable(),
        waiting: countAnswer.meta({ description: "Signatures that nothing is sent for yet" }),
        underWay: countAnswer.meta({ description: "Transactions that no block has yet" }),
      })
      .nullable()
      .meta({ description: "The account that sends what authors only sign; null where none works" }),
    blocksPerSecond: z.number().nullable().meta({ description: "Only while the index is far behind" }),
    remainingSeconds: z.number().nullable().meta({ description: "Only while the index is far behind" }),
  })
  .meta({ id: "IndexStatus", description: "null where unknown" });
