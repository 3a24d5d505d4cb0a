import type { z } from "zod";
import type { AssetPosition } from "../../db/reads/asset-positions.ts";
import type { ChainAsset } from "../../db/reads/chain-asset.ts";
import type { AssetDetails, AssetId } from "../../domain/asset/asset.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import { toBytes } from "../../domain/bytes.ts";
import { explanation } from "../../proof/src/document/explanation.ts";
import { proofFormat, proofVersion } from "../../proof/src/document/format.ts";
import { readHeader } from "../../proof/src/header.ts";
import type { StateProof } from "../../rpc/calls/proof.ts";
import type { proofAnswer } from "./schema.ts";

export type ProofDocument = z.input<typeof proofAnswer>;

/** What is proven: an asset with its texts word for word, and its links to these children. */
export type Provable = {
  registry: Registry;
  asset: Pick<ChainAsset, "id" | "author" | "salt"> & { details: AssetDetails };
  position: AssetPosition;
  block: NonNullable<AssetPosition["proofBlock"]>;
  children: readonly AssetId[];
};

/** Writes the document of a proof; the first slot is the asset's, the others those of its links. */
export function proofDocument(
  { registry, asset, position, block, children }: Provable,
  { header, account, slots: [assetSlot = [], ...linkSlots] }: StateProof,
): ProofDocument {
  const { id, author, salt, details } = asset;
  const { blockNumber, blockHash, transactionHash, logIndex } = position;
  return {
    format: proofFormat,
    version: proofVersion,
    chainId: registry.chainId,
    registry: registry.address,
    block: { ...block, timestamp: readHeader(toBytes(header))?.timestamp ?? 0, header },
    account: { proof: account },
    asset: { id, author, salt, ...details },
    assetSlot: { proof: assetSlot },
    links: children.map((child, index) => ({ child, proof: linkSlots[index] ?? [] })),
    event: { blockNumber, blockHash, transactionHash, logIndex },
    explanation,
  };
}
