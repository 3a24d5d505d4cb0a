import { checksummed } from "./bytes/address.ts";
import { toHex } from "./bytes/hex.ts";
import { checkAuthor } from "./checks/author.ts";
import { checkBlock } from "./checks/block.ts";
import { checkContent } from "./checks/content.ts";
import { checkId } from "./checks/id.ts";
import { checkInclusion } from "./checks/inclusion.ts";
import { checkLinks, linksCount } from "./checks/links.ts";
import { checkTime } from "./checks/time.ts";
import { ProofError } from "./document/error.ts";
import type { Proof } from "./document/format.ts";
import { type ParsedProof, parseProof } from "./document/parse.ts";
import { parseDocument } from "./document/read.ts";
import type { Given } from "./given.ts";
import { type CheckName, checkNames, type Finding, type Result, unchecked } from "./result/result.ts";
import { inWords, verdictOf } from "./result/verdict.ts";

/** Verifies a proof document as it was received; one that cannot be read is a result, too. */
export function verifyDocument(document: string | Uint8Array, given: Given = {}): Result {
  return orUnreadable(() => verifyParsed(parseDocument(document), given));
}

/** Verifies a proof that `readProof` returned, or that was put together otherwise. */
export function verifyProof(proof: Proof, given: Given = {}): Result {
  return orUnreadable(() => verifyParsed(parseProof(proof), given));
}

function orUnreadable(verify: () => Result): Result {
  try {
    return verify();
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    const finding = unchecked(
      "unreadable-document",
      `The document cannot be read as a proof. ${error.message}`,
    );
    const checks = checkNames.map((name) => ({ name, ...finding }));
    return { verdict: "cannot check", words: finding.reason, checks };
  }
}

function verifyParsed(proof: ParsedProof, given: Given): Result {
  const { header, finding: block } = checkBlock(proof, given.block);
  const { included, finding: inclusion } = checkInclusion(proof, header?.stateRoot, given.registry);
  const children = given.children ?? [];
  const { links: proven, finding: links } = checkLinks(proof, { included, header, children });
  const findings: Record<CheckName, Finding> = {
    content: checkContent(proof.asset, given.fileHash),
    id: checkId(proof),
    author: checkAuthor(proof, included),
    time: checkTime(included, header),
    inclusion,
    links,
    block,
  };
  const counting = checkNames.filter((name) => {
    if (name === "content") return given.fileHash !== undefined;
    return name !== "links" || linksCount(proof, children);
  });
  const checks = checkNames.map((name) => ({ name, ...findings[name] }));
  const verdict = verdictOf(checks, counting);
  const result = { verdict, words: inWords(verdict, checks, counting), checks };

  const holds = (...names: CheckName[]) => names.every((name) => findings[name].outcome === "valid");
  if (header === undefined || block.outcome === "invalid") return result;
  const { number, timestamp } = header;
  const source = holds("block") ? given.block?.source : undefined;
  const shownBlock = { number, hash: toHex(proof.block.hash), timestamp, source };
  if (included === undefined || !holds("id", "author", "time", "inclusion"))
    return { ...result, block: shownBlock };
  const asset = {
    id: toHex(proof.asset.id),
    author: checksummed(proof.asset.author),
    chainId: proof.chainId,
    registry: checksummed(proof.registry),
    createdOn: included.record.createdOn,
  };
  return { ...result, asset, block: shownBlock, ...(proven && { links: proven }) };
}
