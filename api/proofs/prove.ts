import type { AssetPosition } from "../../db/reads/asset-positions.ts";
import type { ChainAsset } from "../../db/reads/chain-asset.ts";
import { type AssetId, exactTexts } from "../../domain/asset/asset.ts";
import { fromBytes, toBytes } from "../../domain/bytes.ts";
import { ApiError } from "../../domain/errors.ts";
import { assetSlot, linkSlot } from "../../proof/src/registry/slots.ts";
import { verifyProof } from "../../proof/src/verify.ts";
import type { StateProof } from "../../rpc/calls/proof.ts";
import { NoProofError } from "../../rpc/errors/no-proof.ts";
import type { Node } from "../../rpc/node.ts";
import { createKeyedQueue } from "../operation/keyed-queue.ts";
import type { ServedRegistry } from "../service/registry.ts";
import { type ProofDocument, type Provable, proofDocument } from "./document.ts";
import { unprovable } from "./unprovable.ts";

/**
 * Proves an asset of the chain and its links to some children. Proofs that are alike are made once at a time.
 * @param caller whose proofs wait for each other, so that nobody holds up another
 * @throws ApiError TOO_MANY_AT_ONCE where too many of the caller's wait
 */
export type Prover = (
  caller: string,
  asset: ChainAsset,
  position: AssetPosition,
  children: readonly AssetId[],
) => Promise<ProofDocument>;

/** Proofs of one caller that are made at once, and most of those that wait: each costs the node some of its time. */
const turns = { atOnce: 8, most: 50 };

/**
 * Makes proofs at the newest final block that the index holds. None is handed out that a verifier who trusts that
 * block would not take.
 */
export function createProver(chain: Pick<Node, "stateProof">, registry: ServedRegistry): Prover {
  /** Proofs that are being made, by what they prove. */
  const underWay = new Map<string, Promise<StateProof>>();
  const inTurn = createKeyedQueue(turns);

  function stateProof(caller: string, provable: Provable): Promise<StateProof> {
    const { asset, block, children } = provable;
    const key = [caller, block.hash, asset.id, ...children].join();
    const made = () => inTurn(caller, () => askNode(provable)).finally(() => underWay.delete(key));
    const begun = underWay.get(key) ?? made();
    underWay.set(key, begun);
    return begun;
  }

  function askNode(provable: Provable): Promise<StateProof> {
    const { asset, block, children } = provable;
    const parent = toBytes(asset.id);
    const slots = [assetSlot(parent), ...children.map((child) => linkSlot(parent, toBytes(child)))];
    const question = { account: provable.registry.address, slots: slots.map(fromBytes), block };
    return chain.stateProof(question, (proof) => problemOf(provable, proof));
  }

  return async (caller, asset, position, children) => {
    const provable = { ...provableAsset(asset, position), registry: await registry.recent(), children };
    try {
      return proofDocument(provable, await stateProof(caller, provable));
    } catch (error) {
      throw error instanceof NoProofError ? unprovable(error, provable.block.number) : error;
    }
  };
}

/** @throws ApiError ASSET_NOT_FINAL, TEXTS_NOT_UTF8 */
function provableAsset(
  { id, author, salt, details: shown, raw }: ChainAsset,
  position: AssetPosition,
): Pick<Provable, "asset" | "position" | "block"> {
  const { blockNumber, finalBlock, proofBlock: block } = position;
  if (blockNumber > finalBlock || block === undefined) {
    const distance = blockNumber - finalBlock;
    const newest =
      finalBlock < 0
        ? "no block is final yet"
        : `the newest final block is ${finalBlock}, ${distance} before it`;
    throw new ApiError(
      "ASSET_NOT_FINAL",
      `The asset ${id} is in block ${blockNumber}, and ${newest}. Ask again when the asset is Confirmed.`,
    );
  }
  const { details, inexact } = exactTexts(shown, raw);
  if (inexact.length > 0) {
    throw new ApiError(
      "TEXTS_NOT_UTF8",
      `The asset ${id} has bytes that are no UTF-8 in ${inexact.join(", ")}, which a proof in JSON cannot hold.`,
    );
  }
  return { asset: { id, author, salt, details }, position, block };
}

/** Why a verifier would not take the proof; undefined where it would. */
function problemOf(provable: Provable, proof: StateProof): string | undefined {
  const { verdict, words } = verifyProof(proofDocument(provable, proof), {
    block: { ...provable.block, source: "the index" },
    registry: provable.registry.address,
    children: [...provable.children],
  });
  return verdict === "valid" ? undefined : words;
}
