import type { z } from "zod";
import type { HistoryEntry } from "../../db/service/requests/history.ts";
import type { Request } from "../../db/service/requests/request.ts";
import { hints } from "../../domain/request/hints.ts";
import type { Derived } from "../../domain/request/state.ts";
import { chainTime, isoTime } from "../operation/time.ts";
import { type AssetOutline, type OnChain, stateOfAsset } from "./find.ts";
import type { IndexPoint } from "./index-point.ts";
import type { historyAnswer, statusAnswer } from "./state-schema.ts";
import { viewRequest } from "./view.ts";

type HistoryAnswer = z.input<typeof historyAnswer>;

/** The state of an asset's creation (docs/spec.md §4.2). */
export function viewStatus(
  known: AssetOutline,
  noted: HistoryEntry[],
  index: IndexPoint,
  publicUrl: string,
): z.input<typeof statusAnswer> {
  const derived = stateOfAsset(known, index.finalNumber);
  const reached: Reached = known.chain === undefined ? known.request : known.chain.position;
  const { transactionHash, blockNumber } = reached;
  return {
    id: known.chain === undefined ? known.request.assetId : known.chain.id,
    ...derived,
    // A change on the chain is not delayed.
    hint: known.chain === undefined ? viewHint(known.request, derived) : undefined,
    ...viewRequest(known, publicUrl),
    transactionHash,
    blockNumber,
    confirmations: blockNumber === undefined ? undefined : Math.max(0, index.blockNumber - blockNumber + 1),
    requiredConfirmations: index.confirmations,
    history:
      known.chain !== undefined && known.request === undefined
        ? historyOnChain(known.chain)
        : viewHistory(noted, derived, reached),
  };
}

/** Why a pending transaction is delayed. */
export function viewHint(
  { hint }: Pick<Request, "hint">,
  { state }: Derived,
): z.input<typeof statusAnswer>["hint"] {
  if (hint === undefined || (state !== "Submitted" && state !== "TxSignatureSubmitted")) return undefined;
  return { code: hint.code, since: isoTime(hint.since), message: hints[hint.code] };
}

/** The state of a change, on the chain or by its request. */
type Reached = Pick<Request, "transactionHash" | "blockNumber"> & Partial<Pick<Request, "expiresAt">>;

/** The stored history, and the current state where it is not stored yet. */
export function viewHistory(noted: HistoryEntry[], derived: Derived, request: Reached): HistoryAnswer {
  const last = noted.at(-1);
  const isNoted = last?.state === derived.state && last.reason === derived.reason;
  const { transactionHash, blockNumber } = request;
  const now: HistoryEntry = {
    state: derived.state,
    reason: derived.reason,
    at: sinceWhen(derived, request),
    transactionHash,
    blockNumber,
  };
  return [...noted, ...(isNoted ? [] : [now])].map(({ at, ...entry }) => ({ ...entry, at: isoTime(at) }));
}

/** Time of a state that is not stored yet: the expiry, or now. */
function sinceWhen({ reason }: Derived, { expiresAt }: Reached): Date {
  return reason === "EXPIRED" && expiresAt !== undefined ? expiresAt : new Date();
}

function historyOnChain(chain: OnChain): HistoryAnswer {
  const { transactionHash, blockNumber } = chain.position;
  return [{ state: "Committed", at: isoTime(chainTime(chain.createdOn)), transactionHash, blockNumber }];
}
