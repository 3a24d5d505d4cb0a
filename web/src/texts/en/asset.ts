import type { HashVerdict } from "asset-registry-proof";
import type { CheckVerdict } from "../../pages/asset/facts/content-check.ts";
import type { GraphNode } from "../../pages/asset/graph/link-graph.ts";
import { fields } from "./fields.ts";

const count = (number: number, one: string, many: string) =>
  number === 1 ? `one ${one}` : `${number} ${many}`;

export const asset = {
  title: "Asset",
  unnamed: "Asset without a name",
  failed: "This asset could not be read",
  again: "It is asked for again by itself.",
  malformed: "This is no asset id",
  malformedHint: (digits: number) =>
    `An asset id is 0x and 64 hex digits (0–9, a–f). The one in the address of this page ${
      digits === 0 ? "has other characters" : `has ${digits} digits`
    }: part of it may have been lost when it was copied.`,
  searchInstead: "Search for it on the start page",
  unknown: "No asset with this id is on the chain",
  unknownTitle: "That may have one of these reasons:",
  unknownReasons: [
    "Its author has not signed yet. Open the link to sign that the integrator sent, or ask them for it.",
    "It was signed moments ago, and no block has it yet.",
    "It was in a block that the chain has replaced (a reorg). Then its transaction mostly comes back in another block within minutes.",
    "The id belongs to another registry or chain, or was copied wrongly.",
  ],
  watching: "This page looks again every few seconds, and shows the asset as soon as a block has it.",
  ask: "Did you ask for this asset?",
  askHint: "With the API key by which it was asked for, you see here how far it is.",
  notYours: "This key knows no request for an asset with this id.",
  toSign: "Open the page where its author signs",
  removed: "This asset is no longer on the chain",
  removedHint:
    "The chain has replaced the block that had it (a reorg), so it does not count as registered now. Its transaction mostly comes back in another block by itself: this page looks again every few seconds. If it stays away for more than a few minutes, its author has to sign anew. Below is what was there before.",
  stale: "What you see may be out of date: it could not be read again.",
  registeredOn: "Registered",
  by: "by",
  verify: "Check a file against it",
  certificate: "Certificate to print",
  toProof: "Download the proof",
  toLinks: "Links",
  registered: "What was registered",
  registration: "Registration",
  allOfAuthor: "All assets of this author",
  noLink: "(shown as text: it is no plain web address)",
  leadsTo: (host: string) => `leads to ${host}`,
  comparable: (method: string) =>
    `A file can be compared with this by its ${method} hash. The file itself is not kept here.`,
  noComparison: {
    match: "",
    mismatch: "",
    "no-hash": "No hash was registered, so no file can be compared with this asset.",
    "no-method":
      "A hash was registered without its method, so a comparison of a file with it is a guess by its length.",
    "unknown-method":
      "The method of the hash is none that is known here, so this page cannot compare a file with it. Ask its author how the hash was made.",
    "unreadable-hash":
      "What was registered as the hash is no digest of its method, so no file can be compared with it.",
  } satisfies Record<HashVerdict, string>,
  inexact: (names: string) => `Not every byte can be shown: ${names}`,
  inexactHint:
    "The chain has bytes here that are no text (no UTF-8). They show as �, so the id cannot be computed anew from what you see; the asset was not made by this service.",
  truncated: (names: string) => `Only the beginning is shown: ${names}`,
  truncatedHint:
    "The chain has more than an answer of the service holds, so the id cannot be computed anew from what you see.",
  confirmations: (has: number, wants: number | "finalized") =>
    wants === "finalized"
      ? `${count(has, "confirmation", "confirmations")}; final once the chain has finalized the block.`
      : `${has} of ${wants} confirmations. Until then a reorg may undo it.`,
  confirmed: (has: number, isFinal: boolean) => (isFinal ? `${has}, final` : `${has}, not final yet`),
  fields: {
    ...fields,
    id: "Asset id",
    author: "Author",
    createdOn: "Time of its block",
    transaction: "Transaction",
    block: "Block",
    blockHash: "Hash of the block",
    confirmations: "Confirmations",
    chain: "Chain",
    registry: "Registry's contract",
    salt: "Salt",
  },
  check: {
    title: "Are these the registered texts?",
    lead: "This page has computed the hashes anew from author, salt and every text above, to the byte, and compared:",
    names: { id: "Asset id", blockchainHash: "Hash on the chain", documentDbHash: "Hash of the database" },
    id: {
      agrees: "agrees. The id belongs to exactly these texts, this author, this chain and this registry.",
      differs:
        "does not agree. What the service answered is not what this id was given to: do not rely on it, and tell the operator.",
      cannot:
        "cannot be computed anew here, because not every byte of the texts can be shown. That is no sign of a change.",
    },
    blockchainHash: {
      agrees: "agrees. It is the hash of author, salt and texts that the chain commits to.",
      differs:
        "does not agree: the texts are not those that it was made of. Do not rely on them, and tell the operator.",
      cannot: "cannot be computed anew here, because not every byte of the texts can be shown.",
    },
    documentDbHash: {
      agrees: "agrees. The service's database holds the texts unchanged.",
      differs:
        "does not agree: the row of the database was changed after it was read from the chain. Tell the operator.",
      cannot: "is the same as the hash on the chain, but cannot be computed anew here.",
    },
  } satisfies Record<string, unknown> &
    Record<"id" | "blockchainHash" | "documentDbHash", Record<CheckVerdict, string>>,
  links: {
    title: "Links",
    none: "This asset has no links, and never had one.",
    to: "This asset points to",
    from: "Points to this asset",
    history: "Revoked links",
    was: { to: "Pointed to", from: "Was pointed to by" },
    added: "linked",
    revoked: "revoked",
    notFinal: "not final yet",
    count: (read: number, isCut: boolean) => (isCut ? `(${read} or more)` : `(${read})`),
    moreOf: (rest: number) => `Show more (${rest} left)`,
    readMore: "Read more links",
  },
  graph: {
    title: "Graph of links",
    canvas: "Assets and the links between them; the same stands in the lists below",
    controls: "Scale of the graph",
    help: "Each arrow leads from an asset to one that it points to. Press an asset to see its links, drag to move. By keyboard: arrow keys go from asset to asset, Enter shows the links of one, + and − change the scale.",
    links: {
      unread: "",
      reading: "reading …",
      some: "has more",
      all: "",
    } satisfies Record<GraphNode["links"], string>,
    pointsTo: "Points to",
    pointedToBy: "Pointed to by",
    andMore: (rest: number) => `and ${rest} more`,
    open: "Open its page",
    more: "Read more of its links",
    all: "All of its links are shown.",
    full: (most: number) =>
      `No more than ${most} assets are drawn: open the page of one to go on from there.`,
    drawn: (number: number) => `${count(number, "asset", "assets")} drawn.`,
  },
  proof: {
    title: "Proof",
    lead: "A file that shows to anybody who trusts the chain that exactly this content was registered by this author at this time. It is checked without this service, now and in many years: keep it beside your document.",
    notFinal: "A proof can be made as soon as the asset is final. This page says when it is.",
    inexact: "No proof can be made: the asset has bytes that are no text.",
    download: "Download the proof",
    done: (name: string, block: number) => `Saved as ${name}: it shows what held at block ${block}.`,
    failed: "No proof could be made just now",
    links: (chosen: number) =>
      chosen === 0 ? "Add links to the proof" : `${count(chosen, "link", "links")} added to the proof`,
    choose: (most: number) => `Links that the proof shows, at most ${most}`,
    revoked: "(revoked)",
  },
  change: {
    title: "Change the links",
    lead: "The author of this asset adds and revokes its links by signing. An integrator asks for it here with an API key; then the page to sign on opens, whose address you can send to the author.",
    withKey: "I have an API key",
    search: "Asset to link to",
    choose: "Choose",
    chooseThis: (name: string) => `Choose ${name}`,
    itself: "this asset itself",
    linked: "linked already",
    isChosen: "chosen",
    full: (most: number) => `at most ${most} at once`,
    chosen: "Chosen",
    drop: "Remove",
    ask: (number: number) => (number === 1 ? "Ask for this link" : `Ask for these ${number} links`),
    revoke: "Revoke",
    revokeThis: (name: string) => `Revoke the link to ${name}`,
  },
};
