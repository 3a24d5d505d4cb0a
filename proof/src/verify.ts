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
import { type Checked, shownFacts } from "./facts.ts";
import type { Given } from "./given.ts";
import { checkNames, type Result, unchecked } from "./result/result.ts";
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
  const { findings, ...read } = runChecks(proof, given);
  const counting = checkNames.filter((name) => {
    if (name === "content") return given.fileHash !== undefined;
    return name !== "links" || linksCount(proof, given.children ?? []);
  });
  const checks = checkNames.map((name) => ({ name, ...findings[name] }));
  const verdict = verdictOf(checks, counting);
  const words = inWords(verdict, checks, counting);
  return { verdict, words, checks, ...shownFacts(proof, { findings, ...read }, given.block?.source) };
}

function runChecks(proof: ParsedProof, given: Given): Checked {
  const { header, finding: block } = checkBlock(proof, given.block);
  const { included, finding: inclusion } = checkInclusion(proof, header?.stateRoot, given.registry);
  const children = given.children ?? [];
  const { links: proven, finding: links } = checkLinks(proof, { included, header, children });
  const content = checkContent(proof.asset, given.fileHash);
  const [author, time] = [checkAuthor(proof, included), checkTime(included, header)];
  const findings = { content, id: checkId(proof), author, time, inclusion, links, block };
  return { findings, header, record: included?.record, links: proven };
}
