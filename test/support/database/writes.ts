import type { Address, Hash, Hex } from "viem";
import { commitCreation } from "../../../api/assets/creation.ts";
import { commitRefusal } from "../../../api/transactions/refusal.ts";
import { commitRelay } from "../../../api/transactions/relay.ts";
import { commitReportedHash } from "../../../api/transactions/reported-hash.ts";
import { commitSigned } from "../../../api/transactions/signed-submission.ts";
import type { Transaction } from "../../../db/core/pool.ts";
import type { Relayer } from "../../../db/service/relays/relayer.ts";
import { insertLinkChange } from "../../../db/service/requests/insert-link-change.ts";
import type { NewRequest } from "../../../db/service/requests/request.ts";
import { readSubmission, type SubmissionReading } from "../../../db/service/transactions/submissions.ts";
import { assetDigests } from "../../../domain/asset/digests.ts";

/** Requests and answers, stored by the commits of the API: what it checks before them needs a node, or is not met. */

/** A link change is stored as asked for, whether it is its turn or not. */
export async function storeRequest(tx: Transaction, { change, ...request }: NewRequest): Promise<void> {
  if (change.kind !== "create") return void (await insertLinkChange(tx, { ...request, change }));
  const { registry, author } = request;
  const { contentHash } = assetDigests(registry, { author, ...change });
  await commitCreation(tx, { ...request, change, contentHash });
}

const noFees = { gas: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, description: undefined };

export async function handIn(
  tx: Transaction,
  id: string,
  { raw, hash, nonce }: { raw: Hex; hash: Hash; nonce: number },
): Promise<void> {
  const signed = { raw, hash, nonce, ...noFees };
  await commitSigned(tx, { read: await reading(tx, id), signed, nonces: undefined });
}

export async function reportHash(tx: Transaction, id: string, hash: Hash): Promise<void> {
  await commitReportedHash(tx, { id, hash });
}

export async function refuse(tx: Transaction, id: string): Promise<void> {
  await commitRefusal(tx, { id, signature: "0x01" });
}

/** A relayer without ether, to which nothing has happened. */
export const idleRelayer = (address: Address, dailyBudget: bigint): Relayer => ({
  address,
  balance: 0n,
  dailyBudget,
  obstacle: undefined,
  stuck: undefined,
  earlier: undefined,
});

/** A signature for the relayer; its estimated cost is in wei. */
export async function signForRelayer(
  tx: Transaction,
  id: string,
  { signature = "0x01", estimatedCost = 1n }: { signature?: Hex; estimatedCost?: bigint } = {},
): Promise<void> {
  const { request: known } = await reading(tx, id);
  const relayer = idleRelayer(known.author, 10n ** 24n);
  const relay = { signature, estimatedCost, deadline: undefined, relayer };
  await commitRelay(tx, { known, given: signature, relay });
}

async function reading(tx: Transaction, id: string): Promise<SubmissionReading> {
  const read = await readSubmission(tx, id);
  if (read === undefined) throw new Error(`There is no request ${id}`);
  return read;
}
