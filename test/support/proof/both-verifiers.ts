import { type Given, type Result, verifyDocument } from "../../../proof/src/proof.ts";
import { type Verdict, verify } from "../second-verifier/verify.ts";

/** What a verifier says: outcomes by check, and the facts that it shows, as text. */
type Opinion = Record<string, string>;

/**
 * What the package says of a document, and what the second verifier says of it. The package reads more spellings of
 * digests than it must: a content that it alone compares is told as it is by both.
 */
export function bothOpinions(document: Uint8Array, given: Given): [Opinion, Opinion] {
  const [first, second] = [verifyDocument(document, given), verify(document, asked(given))];
  const content = first.checks.find(({ name }) => name === "content")?.outcome;
  if (second.isDigestUnread && content !== undefined) second.checks.content = content;
  return [opinionOfPackage(first), opinionOfSecond(second)];
}

function asked({ block, registry, children, fileHash }: Given) {
  return {
    block: block && { ...block, hash: block.hash.toLowerCase() },
    registry: registry?.toLowerCase(),
    children: children?.map((child) => child.toLowerCase()),
    digest: fileHash && { method: fileHash.method, hex: fileHash.digest.toLowerCase() },
  };
}

function opinionOfPackage({ verdict, checks, asset, links = [] }: Result): Opinion {
  const outcomes = Object.fromEntries(checks.map(({ name, outcome }) => [name, outcome]));
  return opinion(verdict, outcomes, asset?.createdOn, links);
}

function opinionOfSecond({ verdict, checks, createdOn, links }: Verdict): Opinion {
  const list = Object.entries(links).map(([child, link]) => ({ child, ...link }));
  return opinion(verdict, checks, createdOn, list);
}

type Time = number | bigint;
type Link = { child: string; state: string; addedOn?: Time; revokedOn?: Time };

/** Facts count where the checks behind them hold, and nothing speaks against the document. */
function opinion(verdict: string, checks: Opinion, createdOn: Time | undefined, links: Link[]): Opinion {
  if (verdict === "invalid") return { verdict, ...checks };
  const facts = links.map(({ child, state, addedOn, revokedOn }) => [
    child,
    `${state}, ${addedOn}, ${revokedOn}`,
  ]);
  return {
    ...{ verdict, ...checks },
    ...(checks["inclusion"] === "valid" ? { createdOn: String(createdOn) } : {}),
    ...(checks["links"] === "valid" ? Object.fromEntries(facts) : {}),
  };
}
