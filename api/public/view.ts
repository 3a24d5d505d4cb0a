import type { z } from "zod";
import type { AssetPosition } from "../../db/reads/asset-positions.ts";
import type { AssetReading } from "../../db/reads/assets.ts";
import { type DetailField, exactTexts } from "../../domain/asset/asset.ts";
import { contentHash as hashContent } from "../../domain/asset/digests.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import { registryTextBytes } from "../../domain/limits.ts";
import { cutTexts } from "../assets/cut-texts.ts";
import { chainTime, isoTime } from "../operation/time.ts";
import type { publicAssetAnswer } from "./schema.ts";

export type PublicAsset = z.input<typeof publicAssetAnswer>;

/**
 * An asset as the chain has it: nothing of the tenant or of the request behind it.
 * @param longest most code points of each text
 */
export function viewPublicAsset(
  { chainId, address }: Registry,
  { chain: { id, author, salt, details, raw, contentHash } }: Pick<AssetReading, "chain">,
  position: AssetPosition,
  longest: Readonly<Record<DetailField, number>> = registryTextBytes,
): PublicAsset {
  const { blockNumber, blockHash, transactionHash, logIndex, indexedBlock } = position;
  const exact = exactTexts(details, raw);
  const { details: texts, cut } = cutTexts(exact.details, longest);
  return {
    id,
    chainId,
    registry: address,
    author,
    salt,
    blockchainHash: contentHash,
    documentDbHash: hashContent({ author, salt, details: raw ?? details }).slice(2),
    ...texts,
    createdOn: isoTime(chainTime(position.createdOn)),
    blockNumber,
    blockHash,
    transactionHash,
    logIndex,
    confirmations: Math.max(0, indexedBlock - blockNumber + 1),
    final: blockNumber <= position.finalBlock,
    ...(cut.length > 0 && { truncated: cut }),
    ...(exact.inexact.length > 0 && { inexact: exact.inexact }),
  };
}
