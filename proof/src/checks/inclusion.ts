import { addressBytes, checksummed } from "../bytes/address.ts";
import { equal, keccak256 } from "../bytes/bytes.ts";
import type { ParsedProof } from "../document/parse.ts";
import { storageRootOf } from "../registry/account.ts";
import { isGenuine } from "../registry/genuine.ts";
import { type AssetRecord, readAssetRecord } from "../registry/records.ts";
import { assetSlot } from "../registry/slots.ts";
import { type Finding, invalid, unchecked, valid } from "../result/result.ts";
import { inUtc } from "../result/time.ts";
import { walkTrie } from "../trie/walk.ts";

/** What a registry's storage says of the asset, where the check is valid. */
export type Included = { storageRoot: Uint8Array; record: AssetRecord };

export type InclusionFinding = { finding: Finding; included: Included | undefined };

/**
 * Checks that the asset stands in the registry's storage under a block's state root.
 * @param trustedRegistry address that the verifier names, where it trusts another than the registry of this version
 */
export function checkInclusion(
  proof: ParsedProof,
  stateRoot: Uint8Array | undefined,
  trustedRegistry: string | undefined,
): InclusionFinding {
  if (stateRoot === undefined) {
    const reason = "There is no state root to begin with, as the header is not that of the block's hash.";
    return { finding: unchecked("no-state-root", reason), included: undefined };
  }
  const found = readIncluded(proof, stateRoot);
  if ("outcome" in found) return { finding: found, included: undefined };
  const finding = checkRegistry(proof.registry, trustedRegistry);
  return { finding, included: finding.outcome === "valid" ? found : undefined };
}

function readIncluded(proof: ParsedProof, stateRoot: Uint8Array): Included | Finding {
  const { registry, asset, block } = proof;
  const account = walkTrie(stateRoot, keccak256(registry), proof.account);
  if (account.outcome === "broken") {
    return invalid("account-proof-broken", `The proof of the registry's account is broken: ${account.why}.`);
  }
  if (account.outcome === "absent") {
    return invalid("no-registry", `At block ${block.number} there is no account ${checksummed(registry)}.`);
  }
  const storageRoot = storageRootOf(account.value);
  if (storageRoot === undefined) {
    return invalid(
      "account-malformed",
      "The registry's account is not one of nonce, balance, storage root and code hash.",
    );
  }

  const slot = walkTrie(storageRoot, keccak256(assetSlot(asset.id)), proof.assetSlot);
  if (slot.outcome === "broken") {
    return invalid("asset-proof-broken", `The proof of the asset's slot is broken: ${slot.why}.`);
  }
  if (slot.outcome === "absent") {
    return invalid("not-registered", `The asset is not registered at block ${block.number}.`);
  }
  const record = readAssetRecord(slot.value);
  return checkRecord(record) ?? { storageRoot, record: record as AssetRecord };
}

/** Why a record is not that of an asset that exists. */
function checkRecord(record: AssetRecord | undefined): Finding | undefined {
  const malformed = invalid("record-malformed", "The asset's slot holds what no registry writes.");
  if (record === undefined) return malformed;
  const { author, createdOn, cancelledOn } = record;
  const hasAuthor = author.some((byte) => byte !== 0);
  if (hasAuthor && createdOn !== 0 && cancelledOn === 0) return undefined;
  if (hasAuthor || createdOn !== 0) return malformed;
  return invalid(
    "creation-cancelled",
    `The asset is not registered: its author cancelled the creation on ${inUtc(cancelledOn)}, and it was never made.`,
  );
}

/** Checks whether the slots of a contract mean what a registry's do. */
function checkRegistry(registry: Uint8Array, trusted: string | undefined): Finding {
  const named = checksummed(registry);
  if (trusted === undefined) {
    if (isGenuine(registry)) {
      return valid(
        "included",
        `The registry ${named}, whose address nothing else can have, holds the asset.`,
      );
    }
    return unchecked(
      "unknown-registry",
      `The contract ${named} holds the asset, and whether it is a registry is unknown: name its address if you trust it.`,
    );
  }
  const expected = addressBytes(trusted);
  if (expected === undefined) {
    return unchecked(
      "unreadable-registry",
      "The registry that you trust is no address: it must be 0x and 40 hex digits, in lower case or with a right checksum.",
    );
  }
  if (equal(expected, registry))
    return valid("included", `The registry ${named}, which you trust, holds the asset.`);
  return invalid(
    "another-registry",
    `The proof is of the registry ${named}, and you trust ${checksummed(expected)}.`,
  );
}
