import { keccak256 } from "../bytes/bytes.ts";
import { toHex } from "../bytes/hex.ts";
import type { ParsedProof } from "../document/parse.ts";
import type { Header } from "../header.ts";
import { readLinkRecord } from "../registry/records.ts";
import { linkSlot } from "../registry/slots.ts";
import { type Finding, invalid, type ProvenLink, unchecked, valid } from "../result/result.ts";
import { inUtc } from "../result/time.ts";
import { walkTrie } from "../trie/walk.ts";
import { notIncluded } from "./author.ts";
import type { Included } from "./inclusion.ts";

export type LinksFinding = { finding: Finding; links: ProvenLink[] | undefined };

/** Whether the check counts for the verdict: there are links, or the verifier wants to know of some. */
export const linksCount = ({ links }: ParsedProof, children: readonly string[]): boolean =>
  links.length > 0 || children.length > 0;

/**
 * Checks what the registry's storage says of each link.
 * @param children ids of assets to which the verifier wants to know the links
 */
export function checkLinks(
  proof: ParsedProof,
  {
    included,
    header,
    children,
  }: { included: Included | undefined; header: Header | undefined; children: readonly string[] },
): LinksFinding {
  if (!linksCount(proof, children)) {
    const reason = "The proof is of no links, and you asked for none.";
    return { finding: unchecked("no-links", reason), links: undefined };
  }
  if (included === undefined || header === undefined) return { finding: notIncluded(), links: undefined };
  const links: ProvenLink[] = [];
  for (const { child, nodes } of proof.links) {
    const slot = keccak256(linkSlot(proof.asset.id, child));
    const link = readLink(toHex(child), walkTrie(included.storageRoot, slot, nodes), header.timestamp);
    if ("outcome" in link) return { finding: link, links: undefined };
    links.push(link);
  }
  const proven = new Set(links.map(({ child }) => child));
  const missing = children.find((child) => !proven.has(child.toLowerCase()));
  const finding =
    missing === undefined
      ? valid("links-proven", links.map(inWords).join(" "))
      : unchecked(
          "link-missing",
          `The proof is not of the link to ${missing.slice(0, 66)}: ask for a proof with it.`,
        );
  return { finding, links };
}

function readLink(child: string, walk: ReturnType<typeof walkTrie>, blockTime: number): ProvenLink | Finding {
  if (walk.outcome === "broken") {
    return invalid("link-proof-broken", `The proof of the link to ${child} is broken: ${walk.why}.`);
  }
  if (walk.outcome === "absent") return { child, state: "never added" };
  const record = readLinkRecord(walk.value);
  if (record !== undefined) {
    const { addedOn, revokedOn } = record;
    const isAdded = addedOn > 0 && addedOn <= blockTime;
    if (isAdded && revokedOn === 0) return { child, state: "standing", addedOn };
    if (isAdded && revokedOn >= addedOn && revokedOn <= blockTime) {
      return { child, state: "revoked", addedOn, revokedOn };
    }
  }
  return invalid("link-malformed", `The slot of the link to ${child} holds what no registry writes.`);
}

function inWords(link: ProvenLink): string {
  switch (link.state) {
    case "standing":
      return `The link to ${link.child} stands since ${inUtc(link.addedOn)}.`;
    case "revoked":
      return `The link to ${link.child}, added on ${inUtc(link.addedOn)}, is revoked since ${inUtc(link.revokedOn)}.`;
    case "never added":
      return `The link to ${link.child} was never added.`;
  }
}
