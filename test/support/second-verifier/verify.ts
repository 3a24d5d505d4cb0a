import {
  genuineRegistry,
  type Header,
  idOf,
  type Link,
  type Registration,
  readHeader,
  readLink,
  readRegistration,
} from "./checks.ts";
import { digestOf, methodOf } from "./read-digest.ts";
import { type ProofDocument, readDocument } from "./read-document.ts";
import { NotReadable } from "./read-json.ts";
import { Broken } from "./walk-trie.ts";

export type Outcome = "valid" | "invalid" | "cannot check";

/** What the verifier brings; hashes, ids and addresses in lower case. */
export type Given = {
  block?: { hash: string; number?: number } | undefined;
  registry?: string | undefined;
  children?: string[] | undefined;
  /** The method's usual name, and the digest in hex without `0x`. */
  digest?: { method: string; hex: string } | undefined;
};

export type Verdict = {
  verdict: Outcome;
  checks: Record<"block" | "id" | "inclusion" | "author" | "time" | "links" | "content", Outcome>;
  /** Unix seconds, where inclusion is valid. */
  createdOn: bigint | undefined;
  /** By child, where all links hold. */
  links: Record<string, Link>;
  /** The asset's texts tell no digest in a form that every verifier must read; another may read more of them. */
  isDigestUnread: boolean;
};

/**
 * A second verifier of the proof document, written from docs/proof-format.md alone and upon other libraries than the
 * package of the product, so that tests can hold the two against each other.
 */
export function verify(bytes: Uint8Array, given: Given): Verdict {
  try {
    return verifyDocument(readDocument(bytes), given);
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
    const no = "cannot check";
    const checks = {
      block: no,
      id: no,
      inclusion: no,
      author: no,
      time: no,
      links: no,
      content: no,
    } as const;
    return { verdict: no, checks, createdOn: undefined, links: {}, isDigestUnread: false };
  }
}

function verifyDocument(document: ProofDocument, given: Given): Verdict {
  const header = unlessBroken(() => readHeader(document.block));
  const registration = header && unlessBroken(() => readRegistration(document, header));
  const inclusion = inclusionOf(document, header, registration, given.registry);
  const included = inclusion === "valid" && header && registration ? { header, registration } : undefined;
  const links = included && unlessBroken(() => linksOf(document, included));
  const registered = registeredDigest(document);
  const checks = {
    block: blockOf(document, header, given.block),
    id: outcomeOf(idOf(document) === document.asset.id),
    inclusion,
    author: included ? outcomeOf(included.registration.author === document.asset.author) : "cannot check",
    time: included ? outcomeOf(included.registration.createdOn <= included.header.timestamp) : "cannot check",
    links: included ? linksOutcome(links, given.children) : "cannot check",
    content: contentOf(registered, given.digest),
  } as const;
  const optional = [
    ...(given.digest ? [checks.content] : []),
    ...(document.links.length > 0 || given.children?.length ? [checks.links] : []),
  ];
  const counting = [checks.block, checks.id, checks.inclusion, checks.author, checks.time, ...optional];
  return {
    verdict: verdictOf(Object.values(checks), counting),
    checks,
    createdOn: included?.registration.createdOn,
    links: links ?? {},
    isDigestUnread: registered === undefined,
  };
}

function unlessBroken<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Broken) return undefined;
    throw error;
  }
}

const outcomeOf = (holds: boolean): Outcome => (holds ? "valid" : "invalid");

function blockOf({ block }: ProofDocument, header: Header | undefined, trusted: Given["block"]): Outcome {
  const agree = header?.number === block.number && header.timestamp === block.timestamp;
  if (!agree) return "invalid";
  if (trusted === undefined) return "cannot check";
  if (trusted.hash === block.hash) return "valid";
  const isOther = trusted.number !== undefined && trusted.number !== block.number;
  return isOther ? "cannot check" : "invalid";
}

function inclusionOf(
  { registry }: ProofDocument,
  header: Header | undefined,
  registration: Registration | undefined,
  trusted: string | undefined,
): Outcome {
  if (header === undefined) return "cannot check";
  if (registration === undefined || (trusted !== undefined && trusted !== registry)) return "invalid";
  return trusted !== undefined || registry === genuineRegistry ? "valid" : "cannot check";
}

type Included = { header: Header; registration: Registration };

const linksOf = (document: ProofDocument, { registration, header }: Included): Record<string, Link> =>
  Object.fromEntries(
    document.links.map((entry) => [entry.child, readLink(document, entry, registration, header)]),
  );

function linksOutcome(links: Verdict["links"] | undefined, children: string[] = []): Outcome {
  if (links === undefined) return "invalid";
  if (Object.keys(links).length === 0) return "cannot check";
  return children.every((child) => Object.hasOwn(links, child)) ? "valid" : "cannot check";
}

/** The method and the digest that an asset's texts tell, where they are read. */
function registeredDigest({ asset }: ProofDocument): Given["digest"] {
  const method = methodOf(asset.method);
  const hex = method && digestOf(method, asset.hash);
  return method && hex ? { method, hex } : undefined;
}

function contentOf(registered: Given["digest"], own: Given["digest"]): Outcome {
  const isComparable = registered && own && registered.method === methodOf(own.method);
  return isComparable ? outcomeOf(registered.hex === own.hex) : "cannot check";
}

/** Invalid where anything is; valid where all that counts is. */
function verdictOf(all: Outcome[], counting: Outcome[]): Outcome {
  if (all.includes("invalid")) return "invalid";
  return counting.every((outcome) => outcome === "valid") ? "valid" : "cannot check";
}
