import { checksummed } from "./bytes/address.ts";
import { toHex } from "./bytes/hex.ts";
import type { ParsedProof } from "./document/parse.ts";
import type { Header } from "./header.ts";
import type { AssetRecord } from "./registry/records.ts";
import type { CheckName, Finding, ProvenLink, Result } from "./result/result.ts";

/** Outcomes of all checks, and what they read on their way. */
export type Checked = {
  findings: Record<CheckName, Finding>;
  header: Header | undefined;
  record: AssetRecord | undefined;
  links: ProvenLink[] | undefined;
};

/** Facts that a proof shows, as far as its checks hold; `source` says who trusts the block's hash. */
export function shownFacts(
  proof: ParsedProof,
  { findings, header, record, links }: Checked,
  source: string | undefined,
): Pick<Result, "asset" | "block" | "links"> {
  const holds = (...names: CheckName[]) => names.every((name) => findings[name].outcome === "valid");
  if (header === undefined || findings.block.outcome === "invalid") return {};
  const { number, timestamp } = header;
  const hash = toHex(proof.block.hash);
  const block = { number, hash, timestamp, source: holds("block") ? source : undefined };
  if (record === undefined || !holds("id", "author", "time", "inclusion")) return { block };
  const asset = {
    id: toHex(proof.asset.id),
    author: checksummed(proof.asset.author),
    chainId: proof.chainId,
    registry: checksummed(proof.registry),
    createdOn: record.createdOn,
  };
  return { asset, block, ...(links && { links }) };
}
