import { equal } from "../bytes/bytes.ts";
import { toHex } from "../bytes/hex.ts";
import type { ParsedProof } from "../document/parse.ts";
import { assetId } from "../registry/asset-id.ts";
import { type Finding, invalid, valid } from "../result/result.ts";

/** Checks that the asset's id is the digest of its texts, author, salt, chain and registry. */
export function checkId({ chainId, registry, asset }: ParsedProof): Finding {
  const computed = assetId(chainId, registry, asset);
  if (equal(computed, asset.id)) {
    return valid(
      "id-matches",
      "The id is the digest of exactly these texts, this author, this chain and this registry.",
    );
  }
  return invalid(
    "id-differs",
    `The texts, the author, the salt, the chain and the registry give the id ${toHex(computed)}, and the proof is of ${toHex(asset.id)}.`,
  );
}
