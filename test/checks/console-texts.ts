import { limits } from "../../domain/limits.ts";
import { readReturnPath } from "../../web/src/identity/return-path.ts";
import { readAssetId as assetIdOfPath } from "../../web/src/pages/asset/asset-id.ts";
import { webLink } from "../../web/src/pages/asset/facts/uri.ts";
import { printedTexts } from "../../web/src/pages/certificate/shorten.ts";
import { shortenHex } from "../../web/src/pages/inbox/shorten-hex.ts";
import { emptyFields, problemsOf } from "../../web/src/pages/register/form.ts";
import { readBlockHash, readNodeUrls } from "../../web/src/pages/verify/block/block-choice.ts";
import { readAssetId as assetIdOfText } from "../../web/src/pages/verify/written.ts";
import { tokenNames } from "../../web/src/pages/wallets/rules/token-names.ts";
import { readableName, segmentsOf } from "../../web/src/parts/foreign-text.ts";
import { understand } from "../../web/src/search/understand.ts";
import { readApiKey } from "../../web/src/service/api-key.ts";
import { tellApart } from "../../web/src/wallet/namesakes.ts";
import { readWalletError } from "../../web/src/wallet/wallet-error.ts";
import type { Own, Reading } from "./text-inventory.ts";

const texts = { name: "", data: "", fileName: "", fileType: "", fileSize: "", method: "", hash: "", uri: "" };

/** What pages of the console read of others: texts of the chain, what is typed and pasted, and what wallets answer. */
export const consoleReadings: Reading[] = [
  {
    readers: ["web/src/parts/foreign-text.ts#*"],
    text: "a text of the chain, as a page shows it",
    bound: "70,000 characters",
    longest: 70_000,
    run: (text) => [segmentsOf(text), readableName(text)],
  },
  {
    readers: ["web/src/pages/certificate/shorten.ts#*"],
    text: "a text of the chain, on paper",
    bound: "the characters for which there is room",
    run: (text) => printedTexts({ ...texts, name: text, data: text }),
  },
  {
    readers: ["web/src/pages/asset/facts/uri.ts#*"],
    text: "an address in an asset, of which a link is made",
    bound: "2,048 characters",
    run: webLink,
    beginnings: ["https://", "https://a@"],
  },
  {
    readers: ["web/src/pages/inbox/shorten-hex.ts#shortenHex"],
    text: "a summary of a request, in the inbox",
    bound: "none: each digit is passed once",
    run: shortenHex,
    beginnings: ["0x"],
  },
  {
    readers: ["web/src/search/understand.ts#*"],
    text: "what is typed into the search box",
    bound: "none: each place is looked at once",
    run: understand,
    beginnings: ["https://", "https://a/sign/", "0x12", "sha256:"],
  },
  {
    readers: ["web/src/pages/verify/written.ts#readAssetId", "web/src/pages/asset/asset-id.ts#readAssetId"],
    text: "an asset's id, pasted or in the address of a page",
    bound: "none: each place is looked at once",
    run: (text) => [assetIdOfText(text), assetIdOfPath(text)],
    beginnings: ["https://", "https://a/assets/", "0x"],
  },
  {
    readers: ["web/src/pages/verify/block/block-choice.ts#*"],
    text: "URLs of nodes, and the hash of a block",
    bound: "none: each line is read once",
    run: (text) => [readNodeUrls(text), readBlockHash(text)],
    beginnings: ["http://", "https://a\n"],
  },
  {
    readers: ["web/src/pages/register/form.ts#*"],
    text: "fields of a registration, as they are typed",
    bound: "none: each character is looked at once",
    run: (text) =>
      problemsOf({ ...emptyFields, name: text, author: text, fileSize: text, hash: text }, limits.text),
    beginnings: ["0x", "1"],
  },
  {
    readers: ["web/src/service/api-key.ts#readApiKey"],
    text: "an API key, as it is typed",
    bound: "none: each character is looked at once",
    run: readApiKey,
  },
  {
    readers: ["web/src/wallet/wallet-error.ts#byWords", "web/src/wallet/namesakes.ts#*"],
    text: "words of a wallet, and its name",
    bound: "the first characters of an error, and 200 of a name",
    run: (text) => [readWalletError(new Error(text)).failure, tellApart([{ name: text, rdns: text }])],
    beginnings: ["user ", "chain ", "popup "],
  },
  {
    readers: ["web/src/identity/return-path.ts#readReturnPath"],
    text: "the page to which a sign-in leads back",
    bound: "a few hundred characters",
    run: readReturnPath,
    beginnings: ["/", "//"],
  },
  {
    readers: ["web/src/pages/wallets/rules/token-names.ts#tokenNames"],
    text: "an identity token of the provider",
    bound: "16,384 characters",
    run: (text) => tokenNames(text, "alice"),
    beginnings: ["a.", "a.e30."],
  },
];

export const consoleOwn: Own[] = [
  {
    readers: [
      "web/src/wallet/ask.ts#*",
      "web/src/wallet/provider.ts#readQuantity",
      "web/src/pages/sign/rules/*",
      "web/src/pages/wallets/use-connecting.ts#*",
      "web/src/pages/wallets/rules/check-connection.ts#*",
      "web/src/pages/verify/proof/service-word.ts#*",
      "web/src/pages/asset/links/link-rows.ts#linkRows",
    ],
    why: "answers of the wallet that the visitor installed, and of the service that serves the page, of 16 MiB at most",
  },
  {
    readers: ["web/src/pages/verify/block/node.ts#*"],
    why: "URLs of nodes that the visitor typed; what they answer is read by asset-registry-proof within its bounds",
  },
  {
    readers: ["web/src/pages/verify/dropped.ts#readProofBytes"],
    why: "the beginning of a dropped file; what may be a proof is read by asset-registry-proof within its bounds",
  },
  {
    readers: [
      "web/src/identity/own-place.ts#*",
      "web/src/identity/token-parameters.ts#*",
      "web/src/parts/explorer-link.ts#explorerLink",
    ],
    why: "URLs of the operator's settings",
  },
  {
    readers: [
      "web/src/identity/provider.ts#*",
      "web/src/identity/session.ts#readSession",
      "web/src/identity/sign-in-problem.ts#readSignInProblem",
    ],
    why: "answers of the identity provider that the operator trusts, and what this tab kept of them",
  },
  {
    readers: ["web/src/shell/own-policy.ts#*", "web/src/file/hash-in-worker.ts#startWorker"],
    why: "addresses of the console's own pages and files",
  },
  {
    readers: ["web/src/shell/not-loaded.ts#words"],
    why: "the first 200 characters of a browser's own error",
  },
];
