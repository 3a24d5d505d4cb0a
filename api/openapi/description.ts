import { limits } from "../../domain/limits.ts";

const count = (value: number) => value.toLocaleString("en");

type Limit = Exclude<keyof typeof limits, "text">;

/** Descriptions of the limits; those of an asset's texts are in the schema of its creation. */
const limitWords: Record<Limit, string> = {
  note: `${count(limits.note)} characters in a name or description of a wallet, or a description of a submission`,
  targets: `${count(limits.targets)} targets in one change of links`,
  openLinkRequests: `${count(limits.openLinkRequests)} requests of one tenant for links of one asset whose change nobody has made yet`,
  bodyBytes: `${count(limits.bodyBytes)} bytes in a body`,
  headerBytes: `${count(limits.headerBytes)} bytes in request line and headers together`,
  calldataBytes: `${count(limits.calldataBytes)} bytes in the call of a generated transaction`,
  signedTransactionBytes: `${count(limits.signedTransactionBytes)} bytes in a signed transaction`,
  signatureBytes: `${count(limits.signatureBytes)} bytes in a signature`,
  identityTokenLength: `${count(limits.identityTokenLength)} characters in an identity token`,
  idempotencyKeyLength: `${count(limits.idempotencyKeyLength)} characters in an Idempotency-Key`,
  idempotencyKeyHours: `${count(limits.idempotencyKeyHours)} hours in which a request with a known Idempotency-Key gets the answer that is kept`,
  page: `${count(limits.page.default)} entries on a page of a list, unless asked for up to ${count(limits.page.max)}; page numbers reach ${count(limits.page.deepest)} entries deep, cursors all`,
  answerBytes: `${count(limits.answerBytes)} bytes in a page of assets or transactions, which ends before it is larger and goes on with its \`next\``,
  waitingRelays: `${count(limits.waitingRelays)} gasless signatures of one tenant that wait for the relayer`,
  links: `${count(limits.links)} links in each direction where no page of them is asked for`,
  proofLinks: `${count(limits.proofLinks)} links of an asset in one proof`,
  reportedHashes: `${count(limits.reportedHashes)} reported hashes of a transaction, the newest`,
  reportedHashHours: `${count(limits.reportedHashHours)} hours for which a reported hash is looked for; report it again if the transaction still waits then`,
  statuses: `${count(limits.statuses)} transactions whose state is read at once`,
  history: `${count(limits.history)} entries of a history, the newest`,
  walletInitialisationSeconds: `${count(limits.walletInitialisationSeconds)} seconds until a wallet initialisation expires`,
  openInitialisations: `${count(limits.openInitialisations)} wallet initialisations that a user may have open`,
  wallets: `${count(limits.wallets)} wallets of a user`,
  webhooks: `${count(limits.webhooks)} webhooks of a tenant`,
  webhookUrl: `${count(limits.webhookUrl)} characters in the URL of a webhook`,
  waitingDeliveries: `${count(limits.waitingDeliveries)} deliveries that wait for a webhook, from which on no test and no single event again is added`,
  secretOverlapHours: `${count(limits.secretOverlapHours)} hours for which the secret of a webhook before its rotation signs too`,
  reorgDepth: `${count(limits.reorgDepth)} blocks, the deepest reorg that is handled without an operator`,
};

/** Rules of all operations, in paragraphs that read as Markdown and as plain text. */
export function describeAll(about: string): string {
  return [
    about,
    "Every answer is an envelope: `value` (null where there is none), `meta` beside a list, and `error` with a stable `code` and a `message` for people when the call failed. `details` in an error names each bad field.",
    "A body is one JSON object in UTF-8. A field or parameter that is not named here is refused, so that no typo is lost. A trailing slash of a path may be left out or added. Each GET answers HEAD too.",
    "A POST or PATCH may carry an `Idempotency-Key`. Sent again with the same key, path and body it changes nothing more and gets the same answer, with the header `Idempotency-Replayed: true`.",
    "A path that is none is answered by 404 `ROUTE_NOT_FOUND`, a method that a path does not take by 405 `METHOD_NOT_ALLOWED` with the header `Allow`.",
    "Fields may be added to answers and operations to the service; nothing that stands here is taken away.",
    ["Limits:", ...Object.values(limitWords).map((words) => `- ${words}`)].join("\n"),
  ].join("\n\n");
}
