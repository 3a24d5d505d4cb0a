import type { Request } from "express";
import type { Hex } from "viem";
import { hashWarning } from "../../api/assets/hash-warning.ts";
import { askedFor, assetQuery } from "../../api/assets/query.ts";
import { creation } from "../../api/assets/schema.ts";
import { authenticate } from "../../api/auth/authenticate.ts";
import { createIdentityVerifier } from "../../api/auth/id-token.ts";
import { lastingCredentials } from "../../api/auth/lasting-credentials.ts";
import { kindOf } from "../../api/auth/token-kind.ts";
import { userOf } from "../../api/auth/token-user.ts";
import { addressRules } from "../../api/deliveries/addresses.ts";
import { inertText } from "../../api/deliveries/outcome.ts";
import { problemOf } from "../../api/deliveries/receiver-error.ts";
import { eventsFilter } from "../../api/events/filter.ts";
import { isJsonInUtf8 } from "../../api/http/media-type.ts";
import { forwardedAddress } from "../../api/http/rate-limit/forwarded-address.ts";
import { networkOf, plainIPv4 } from "../../api/http/rate-limit/network.ts";
import { mediaType } from "../../api/openapi/responses.ts";
import { signature, targetIds, transactionHash, uuid } from "../../api/operation/fields.ts";
import { idempotencyKey } from "../../api/operation/idempotency-key.ts";
import { placeTime, readCursor } from "../../api/operation/page-cursor.ts";
import { pagingQuery } from "../../api/operation/paging.ts";
import { parse } from "../../api/operation/parse.ts";
import { proofQuery } from "../../api/proofs/schema.ts";
import { revertInWords } from "../../api/transactions/revert-words.ts";
import { canonical } from "../../api/transactions/signature.ts";
import { checkSigned } from "../../api/transactions/signed-transaction.ts";
import { requireReceiver, webhookUrl } from "../../api/webhooks/url.ts";
import { askNodes } from "../../cli/src/blocks/nodes.ts";
import { writtenHash } from "../../cli/src/commands/written-hash.ts";
import { printable, printableJson } from "../../cli/src/output/printable.ts";
import { Problem } from "../../cli/src/problem.ts";
import { requireExpected } from "../../cli/src/sign/expected.ts";
import { feesOf } from "../../cli/src/sign/transaction.ts";
import { signConnection } from "../../cli/src/sign/wallet-connection.ts";
import { createMessageParser } from "../../client/src/events/message-parser.ts";
import { readRetryAfter } from "../../client/src/retry.ts";
import { verifyWebhook } from "../../client/src/webhooks/verify.ts";
import { isDatabaseUnavailable } from "../../db/core/pool.ts";
import { searchKeys } from "../../db/core/search-keys.ts";
import { parseAddress } from "../../domain/address.ts";
import { exactTexts, mapDetails, parseAssetId, readText } from "../../domain/asset/asset.ts";
import { limits } from "../../domain/limits.ts";
import { fileKey, nameKey } from "../../domain/search/search-keys.ts";
import { urlBase } from "../../domain/url/base.ts";
import { redirectTarget } from "../../domain/url/redirect.ts";
import { hideSecretsOf } from "../../domain/url/secrets.ts";
import { readMethod } from "../../proof/src/file-hash/method-names.ts";
import { compareHash, readFileHash } from "../../proof/src/file-hash/methods.ts";
import { verifyDocument } from "../../proof/src/proof.ts";
import { decodeRlp } from "../../proof/src/trie/rlp.ts";
import { count, hash, quantity } from "../../rpc/calls/quantities.ts";
import { allowedRange } from "../../rpc/errors/allowed-range.ts";
import { isAboutTheCall, longestSaid, meaningOf, wordsOf } from "../../rpc/errors/error-message.ts";
import { executionFailure, revertNameOf } from "../../rpc/errors/execution-failure.ts";
import { lacksMethod } from "../../rpc/errors/no-proof.ts";
import { RpcError, storable } from "../../rpc/errors/node-error.ts";
import { readSendError } from "../../rpc/errors/send-outcome.ts";
import { parseLogs } from "../../rpc/logs/logs.ts";
import { parseRetryAfter } from "../../rpc/transport/status-error.ts";
import { owner } from "../support/chain/accounts.ts";

/** Functions over a text of somebody else's. */
export type Reading = {
  /** Declarations that read texts, as `textReaders` names them. */
  readers: string[];
  /** Whose text it is, and the bound that holds before it is read. */
  text: string;
  bound: string;
  /** Most characters that the server lets through, a few times over, so that what is quadratic is seen. */
  longest?: number;
  /** Reads a text by these declarations, in any time that grows as the text does. */
  run: (text: string) => unknown;
  /** Beginnings of what is meant, which lead deeper into the function. */
  beginnings?: string[];
};

/** Declarations whose texts are the operator's own, the product's own, or read by what is named. */
export type Own = { readers: string[]; why: string };

const registry = { chainId: 31_337, address: "0x5FbDB2315678afecb367f032d93F642f64180aa3" } as const;
const header = (name: string, text: string) =>
  ({ headers: {}, rawHeaders: [name, text] }) as unknown as Request;
const open = async () => undefined;
const gate = { address: open, key: open, failure: open, guess: () => undefined } as never;
const bearer = (text: string) =>
  authenticate(
    { services: { identity: async () => ({ issuer: "", subject: "" }) } as never, gate },
    header("Authorization", text),
    { access: "bearer", method: "get" },
  );
const asError = (text: string) =>
  new RpcError("eth_sendRawTransaction", { code: -32_000, message: text, data: text });
const log = (text: string) => ({
  address: registry.address,
  blockNumber: text,
  blockHash: text,
  transactionHash: text,
  transactionIndex: text,
  logIndex: text,
  topics: [text],
  data: text,
});
const inLog = (text: string, field: string) => [{ ...log("0x1"), [field]: text }];

const hashTexts = {
  text: "a hash or the name of its method, on the chain, in a body or in a query",
  bound: "512 UTF-16 units: `longestHashText`",
};
const headers = { bound: "32 KiB for all headers: `limits.headerBytes`", longest: 4 * limits.headerBytes };
const bodies = { bound: "256 KiB for a body: `limits.bodyBytes`", longest: limits.bodyBytes };

/** A world in which every node answers with this text, or with this value as its result. */
const answering = (body: string) =>
  ({ fetch: async () => new Response(body), signal: new AbortController().signal }) as never;
const verified = async (headers: Record<string, string>, body: string) =>
  await verifyWebhook({ headers, body, secrets: "whsec_AAAA", toleranceSeconds: Infinity }).catch(() => 0);
const nodes = async (body: string) => {
  try {
    return await askNodes(["http://node.example"], { chainId: 1, number: 1 }, answering(body));
  } catch (error) {
    return error;
  }
};
const result = (text: string) => JSON.stringify({ result: { number: text, hash: text } });

/** A transaction as a service might tell it that is after the author's signature. */
const asked = (text: string) => ({
  ...{ to: text, data: text, value: text, gas: text, nextNonce: 1, state: text, warning: text, signer: text },
  ...{
    assetId: text,
    kind: text,
    chainId: 1,
    maxFeePerGas: text,
    maxPriorityFeePerGas: text,
    gasPrice: text,
  },
});
const approvedOf = (transaction: object) => {
  const [parent, child] = ["1", "2"].map((digit) => `0x${digit.repeat(64)}`) as [string, string];
  const change = { kind: "link", parent, children: [child] } as const;
  const expected = { change, assetId: parent, signer: owner.address, chainId: 1, registry: owner.address };
  return [() => requireExpected(transaction as never, expected), () => feesOf(transaction as never, 1n)].map(
    failureOf,
  );
};
const failureOf = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};

export const readings: Reading[] = [
  {
    readers: [
      ...["cli/src/sign/expected.ts#requireExpected", "cli/src/sign/transaction.ts#quantity"],
      ...["cli/src/sign/transaction.ts#signTransaction", "cli/src/sign/wallet-connection.ts#readConnection"],
      ...["cli/src/sign/wallet-connection.ts#signConnection", "cli/src/sign/wallet-connection.ts#originOf"],
      "cli/src/verify/proofs.ts#toldId",
    ],
    text: "what a service asks an author to sign",
    bound: "one pass; numbers of 32 hex digits",
    run: async (text) => [
      approvedOf(asked(text)),
      await signConnection(text, "", {} as never, {} as never).catch((error: unknown) => error),
    ],
    beginnings: ["0x", '{"domain":'],
  },
  {
    readers: [
      ...["cli/src/commands/written-hash.ts#writtenHash", "cli/src/commands/written-hash.ts#ipfsPlace"],
      ...["cli/src/commands/written-hash.ts#contentId", "cli/src/files/printed-hash.ts#digits"],
      ...["cli/src/files/printed-hash.ts#readPrintedHash", "cli/src/files/printed-hash.ts#namedMethod"],
    ],
    text: "a hash that a person pasted, or what a program printed",
    bound: "512 UTF-16 units as one hash, 4,096 as the output of a program",
    run(text) {
      for (const method of [undefined, "sha256"] as const) {
        try {
          writtenHash(method, text);
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
        }
      }
    },
    beginnings: ["00 ", "SHA256 ", "https://", "Qm", `"`],
  },
  {
    readers: ["cli/src/output/printable.ts#invisible", "cli/src/output/cause.ts#causeOf"],
    text: "whatever somebody else writes, shown at a terminal",
    bound: "one pass; answers of the service are bounded by it, those of nodes by 4 MiB, proofs by 4 MiB",
    run: (text) => [printable(text), printableJson({ text })],
  },
  {
    readers: [
      "proof/src/nodes/node-call.ts#*",
      ...["proof/src/nodes/node-block.ts#nodeBlock", "proof/src/nodes/node-block.ts#readQuantity"],
    ],
    text: "the answer of a node that the verifier chose",
    bound: "4 MiB: `mostNodeAnswerBytes`",
    run: async (text) => [await nodes(text), await nodes(result(text))],
    beginnings: ["0x"],
  },
  {
    readers: [
      ...[
        "proof/src/file-hash/method-names.ts#squeeze",
        "proof/src/file-hash/method-names.ts#ofXml",
        "proof/src/file-hash/methods.ts#plainHex",
      ],
      ...[
        "proof/src/file-hash/encodings.ts#hexOfBase32",
        "proof/src/file-hash/encodings.ts#hexOfBase64",
        "proof/src/file-hash/encodings.ts#isHex",
      ],
      ...[
        "proof/src/file-hash/written-hash.ts#writtenHashes",
        "proof/src/file-hash/written-hash.ts#uri",
        "proof/src/file-hash/written-hash.ts#tagLine",
      ],
      ...[
        "proof/src/file-hash/written-hash.ts#sumLine",
        "proof/src/file-hash/written-hash.ts#named",
        "proof/src/file-hash/written-hash.ts#listed",
      ],
      ...["proof/src/file-hash/visible-text.ts#dash", "proof/src/file-hash/multihash.ts#treeCid"],
    ],
    ...hashTexts,
    async run(text) {
      readMethod(text);
      readFileHash("sha256", text);
      readFileHash("BLAKE3", text);
      fileKey("SHA-256", text);
      fileKey(text, text);
      hashWarning(text, text);
      await compareHash({ method: "SHA-256", hash: text }, () => "");
    },
    beginnings: [
      "sha256-",
      "http://www.w3.org/2001/04/xmlenc#",
      "ni:///sha-256;",
      "SHA256 (",
      `${"0".repeat(64)}  `,
      "z",
    ],
  },
  {
    // The same with nothing but what fits, since the bound lets it through.
    readers: ["proof/src/file-hash/methods.ts#readFileHash"].slice(1),
    text: "a hash of 512 characters",
    bound: "512 UTF-16 units, 100 in base58",
    run: (text) => fileKey("", text.slice(0, 512)),
    beginnings: ["sha256-", "SHA256 (", "ni:///"],
  },
  {
    readers: [
      ...[
        "proof/src/file-hash/visible-text.ts#isPlainAscii",
        "proof/src/file-hash/visible-text.ts#ignorable",
        "proof/src/file-hash/visible-text.ts#visibleText",
      ],
      ...["domain/search/fold-case.ts#dottedI", "domain/search/search-keys.ts#gap"],
    ],
    text: "a name on the chain, in a body or in a query",
    bound: "its first 1,024 UTF-16 units, of which one form of Unicode may make 18 times as many",
    run: (text) => [nameKey(text), searchKeys({ name: text, method: text, hash: text })],
  },
  {
    readers: [
      "domain/asset/asset.ts#readText",
      "domain/asset/asset.ts#exactTexts",
      "domain/asset/asset.ts#strictUtf8",
      "domain/asset/asset.ts#tolerantUtf8",
    ],
    text: "a text on the chain",
    bound: "what a block's gas pays for; each byte is looked at a few times",
    run: (text) => [
      ...[readText(Buffer.from(text)), readText(Buffer.from(text, "latin1"))],
      exactTexts(
        mapDetails(() => text),
        mapDetails(() => Buffer.from(text, "latin1")),
      ),
    ],
  },
  {
    readers: ["domain/address.ts#parseAddress"],
    text: "an address or an id in a path, query or body",
    bound: "42 and 66 characters",
    run: (text) => [parseAddress(text), parseAssetId(text)],
    beginnings: ["0x"],
  },
  {
    readers: ["domain/url/secrets.ts#decoded"],
    text: "what a server says, which may repeat the URL that it was asked by",
    bound: "4,096 bytes or some hundred characters; the URL is the operator's",
    run: hideSecretsOf("https://user:password-1@a.example/v3/key-0123456789?k=another-key"),
    beginnings: ["key-0123456789"],
  },
  { readers: [], text: "the URL of a service", bound: "none: each slash is passed once", run: urlBase },
  {
    readers: ["api/http/media-type.ts#json", "api/openapi/responses.ts#mediaType"].slice(0, 1),
    text: "the header Content-Type",
    bound: "256 characters",
    run: (text) => [isJsonInUtf8(text), mediaType(text)],
    beginnings: [
      "application/json",
      "application/json;charset=",
      'application/json;charset="',
      "application/a",
    ],
  },
  {
    readers: ["api/auth/authenticate.ts#userOf"],
    text: "the header Authorization",
    ...headers,
    run: bearer,
    beginnings: ["Bearer", "Bearer ", "Bearer x"],
  },
  {
    readers: ["api/auth/lasting-credentials.ts#expiryOf"],
    text: "the header Authorization, whose token was verified",
    ...headers,
    run: (text) =>
      lastingCredentials({ find: async () => undefined }, header("Authorization", text), {
        ...{ tenant: undefined, keyId: undefined, user: { issuer: "", subject: "" } },
      }),
    beginnings: ["Bearer ", "Bearer eyJhbGciOiJSUzI1NiJ9."],
  },
  {
    readers: ["api/auth/id-token.ts#claimedIssuer", "api/auth/id-token.ts#verify"],
    text: "an identity token",
    bound: "16,384 characters: `limits.identityTokenLength`",
    run: createIdentityVerifier([]),
    beginnings: ["eyJhbGciOiJSUzI1NiJ9.", "eyJhbGciOiJSUzI1NiJ9.e30."],
  },
  {
    readers: ["api/auth/token-kind.ts#headerType", "api/auth/token-user.ts#invisible"],
    text: "claims of an identity token",
    bound: "64 characters of a type, 255 of a user's name",
    run: (text) => [kindOf({ alg: "RS256", typ: text }, { typ: text }), userOf({ sub: text }, "sub")],
    beginnings: ["application/"],
  },
  {
    readers: [
      "api/operation/idempotency-key.ts#bare",
      "api/operation/idempotency-key.ts#quoted",
      "api/operation/idempotency-key.ts#readKey",
    ],
    text: "the header Idempotency-Key",
    bound: "512 characters, of which 255 are the key",
    run: (text) => idempotencyKey(header("Idempotency-Key", text), { method: "post" }),
    beginnings: ['"', '"a'],
  },
  {
    readers: [
      ...[
        "api/http/rate-limit/forwarded-address.ts#forPair",
        "api/http/rate-limit/forwarded-address.ts#unquoted",
      ],
      ...["api/http/rate-limit/forwarded-address.ts#isPort"],
    ],
    text: "an entry of the header X-Forwarded-For",
    bound: "128 characters",
    run: forwardedAddress,
    beginnings: ["[", "for="],
  },
  {
    readers: ["api/http/rate-limit/network.ts#groupsOf", "api/http/rate-limit/network.ts#plainIPv4"],
    text: "an address of a caller",
    bound: "what Node knows as an IPv6 address",
    run: (text) => [networkOf(text), plainIPv4(text)],
    beginnings: ["::", "fe80::1%"],
  },
  {
    readers: [
      ...["api/assets/query.ts#time", "api/operation/paging.ts#wholeNumber"],
      ...["api/events/filter.ts#readPosition"],
    ],
    text: "parameters of a query, and the header Last-Event-ID",
    ...headers,
    run(text) {
      for (const field of Object.keys(assetQuery.shape)) {
        const given = assetQuery.safeParse({ [field]: text });
        if (given.success) askedFor(given.data);
      }
      proofQuery.safeParse({ links: text });
      const parameters = { ...pagingQuery, ...eventsFilter };
      return Object.values(parameters).map((schema) => schema.safeParse(text));
    },
    beginnings: ["2026-11-28T00:00:00.", "0x"],
  },
  {
    readers: ["api/operation/page-cursor.ts#jsonOf", "api/operation/instant.ts#module"],
    text: "the parameter cursor",
    bound: "1,000 characters",
    run: (text) => [readCursor([], placeTime, text), placeTime.safeParse(text)],
    beginnings: ["2026-11-28T00:00:00."],
  },
  {
    readers: [
      ...[
        "api/operation/fields.ts#uuid",
        "api/operation/fields.ts#transactionHash",
        "api/operation/fields.ts#signature",
      ],
      ...["api/assets/schema.ts#creation"],
    ],
    text: "fields of a body, ids in a path",
    ...bodies,
    run(text) {
      for (const schema of [uuid, transactionHash, signature, targetIds]) schema.safeParse(text);
      parse(targetIds, [text]);
      for (const field of Object.keys(creation.shape)) parse(creation, { [field]: text, [text]: text });
    },
    beginnings: ["0x", "00000000-"],
  },
  {
    readers: [
      ...["api/deliveries/outcome.ts#inertText", "api/deliveries/post.ts#judge"],
      ...[
        "api/deliveries/post.ts#send",
        "api/deliveries/receiver-error.ts#tlsCodes",
        "api/deliveries/receiver-error.ts#libraryCodes",
      ],
    ],
    text: "the answer of a receiver of webhooks, and an error of its connection",
    bound: "1,024 bytes: `KEPT_BYTES`, and Node.js' bound of headers",
    run(text) {
      inertText(Buffer.from(text));
      problemOf(Object.assign(new Error(text), { code: text }));
    },
    beginnings: ["ERR_TLS_", "\u{202e}"],
  },
  {
    readers: ["readUrl", "requireReceiver", "localhostProblem"].map((name) => `api/webhooks/url.ts#${name}`),
    text: "the URL of a webhook",
    ...bodies,
    run(text) {
      const { data: url } = webhookUrl.safeParse(text);
      requireReceiver(url ?? `https://localhost/${encodeURIComponent(text.toWellFormed())}`, addressRules());
    },
    beginnings: ["https://"],
  },
  {
    readers: ["api/transactions/signature.ts#parseSignature", "api/transactions/signature.ts#hasHighS"],
    text: "a signature in a body",
    bound: "4,096 bytes: `limits.signatureBytes`",
    run: (text) => canonical(text as Hex),
    beginnings: ["0x"],
  },
  {
    readers: [
      ...[
        "api/transactions/signed-transaction.ts#rawBytes",
        "api/transactions/signed-transaction.ts#refuseType",
      ],
      ...["api/transactions/signed-transaction.ts#parsed"],
    ],
    text: "a signed transaction in a body",
    bound: "128 KiB: `limits.signedTransactionBytes`",
    run: async (text) => {
      const call = { registry, calldata: "0x", author: owner.address } as const;
      // As long as the bound lets through, too.
      for (const length of [text.length, 2 * 128 * 1_024]) {
        try {
          await checkSigned(text.slice(0, length), call);
        } catch {
          // Refused, as it must be.
        }
      }
    },
    beginnings: ["0x", "0x02", "0x02f9ffff", "0xf9ffff", "0x02fa020000"],
  },
  {
    readers: [
      ...["proof/src/document/json.ts#parseJson", "proof/src/document/json.ts#shown"],
      ...["proof/src/document/text.ts#decoder", "proof/src/document/text.ts#hasLoneSurrogate"],
      "proof/src/document/text.ts#decoded",
    ],
    text: "a proof document",
    bound: "4 MiB, 50,000 values, 8 deep: `bounds`",
    longest: 4 * 1024 * 1024,
    run: (text) => [verifyDocument(text), verifyDocument(new TextEncoder().encode(text))],
    beginnings: ['"', "[", '{"', '{"value":{"', '{"a":-0.', "[[[[[[["],
  },
  {
    readers: ["proof/src/trie/rlp.ts#decodeRlp"],
    text: "a node of a trie, or a header, in a proof",
    bound: "1,024 bytes of a node, 16,384 of a header: `bounds`",
    run: (text) => decodeRlp(new TextEncoder().encode(text.slice(0, 16_384))),
    beginnings: ["\u00c0", "\x7f"],
  },
  {
    readers: ["client/src/events/message-parser.ts#createMessageParser"],
    text: "a stream of events, in the client",
    bound: "1,048,576 characters of a line or message: `mostCharacters`",
    run: (text) => [createMessageParser().read(text), createMessageParser().read(`data: ${text}\n\n`)],
    beginnings: ["data: ", "id: ", "retry: 1"],
  },
  {
    readers: ["checkTime", "fromBase64", "readEvent"].map((name) => `client/src/webhooks/verify.ts#${name}`),
    text: "headers and body of a delivery of a webhook, in a receiver that uses the client",
    bound: "10 signatures in 4,096 characters of their header; of the rest each place is looked at once",
    run: async (text) => [
      await verified({ "webhook-id": "1", "webhook-timestamp": text, "webhook-signature": text }, text),
      await verified({ "webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": text }, text),
    ],
    beginnings: ["v1,", "{", "1"],
  },
  {
    readers: ["client/src/retry.ts#readRetryAfter"],
    text: "the header Retry-After of an answer, in the client",
    bound: "none: each place is looked at once",
    run: (text) => readRetryAfter({ get: () => text } as unknown as Headers),
    beginnings: ["Sat, 28 Nov 2026 00:00:00 "],
  },
  {
    readers: ["db/core/pool.ts#isDatabaseUnavailable"],
    text: "an error of the database, which may repeat a value",
    bound: "none: each place is looked at once",
    run: (text) => isDatabaseUnavailable(Object.assign(new Error(text), { code: text })),
  },
  {
    readers: ["rpc/transport/status-error.ts#parseRetryAfter"],
    text: "the header Retry-After of a node's answer",
    bound: "none: each place is looked at once",
    run: (text) => parseRetryAfter(text),
    beginnings: ["1", "Sat, 28 Nov 2026 00:00:00 "],
  },
  {
    readers: [
      ...["rpc/logs/logs.ts#lowerHash", "rpc/logs/logs.ts#parseCount", "rpc/logs/logs.ts#quantity"],
      ...["rpc/logs/logs.ts#parseData"],
    ],
    text: "a field of a log in a node's answer",
    bound: "66 characters of a hash, 16 of a number",
    run(text) {
      for (const field of Object.keys(log(""))) {
        try {
          parseLogs(inLog(text, field), registry.address);
        } catch {
          // Named as what cannot be used.
        }
      }
    },
    beginnings: ["0x"],
  },
  {
    readers: [
      ...[
        "rpc/errors/error-message.ts#rateLimited",
        "rpc/errors/error-message.ts#tooMuch",
        "rpc/errors/error-message.ts#aboutTheCall",
      ],
      ...[
        "rpc/errors/error-message.ts#wordsOf",
        "rpc/errors/allowed-range.ts#patterns",
        "rpc/errors/allowed-range.ts#allowedRange",
      ],
    ],
    text: "a node's error, as the indexer reads it",
    bound: "8,000 characters: `mostWords`, of which 500 are looked at: `longestSaid`",
    run(text) {
      const said = wordsOf({ message: text, data: `!${text}` }, text).slice(0, longestSaid);
      return [meaningOf("eth_getLogs", 0, said), isAboutTheCall(0, said), allowedRange(text, 1e9)];
    },
    beginnings: ["block range ", "limited to "],
  },
  {
    readers: ["rpc/errors/node-error.ts#storable"],
    text: "a node's words, in an error that is stored and logged",
    bound: "4,000 characters: `longestMessage`",
    run: storable,
  },
  {
    readers: ["rpc/calls/quantities.ts#quantity", "rpc/calls/quantities.ts#count"],
    text: "a number in a node's answer",
    bound: "66 characters: `mostDigits`",
    run: (text) => [quantity.safeParse(text), count.safeParse(text), hash.safeParse(text)],
    beginnings: ["0x", "0X"],
  },
  {
    readers: ["domain/url/redirect.ts#redirectTarget"],
    text: "the header Location of a node's answer",
    bound: "16 KiB for all headers, by Node",
    longest: 64 * 1_024,
    run: (text) => redirectTarget(new URL("http://a.example"), 308, text),
    beginnings: ["http://a.example/", "/", "?"],
  },
  {
    readers: ["rpc/errors/no-proof.ts#noMethod"],
    text: "a node's error about a proof",
    bound: "500 characters: `longestSaid`",
    run: (text) => lacksMethod(asError(text)),
    beginnings: ["method ", "unsupported "],
  },
  {
    readers: ["rpc/errors/send-outcome.ts#meanings", "rpc/errors/send-outcome.ts#lowFeePattern"],
    text: "a node's error about a transaction",
    bound: "500 characters: `longestSaid`",
    run: (text) => readSendError(asError(text)),
    beginnings: ["gas limit", "requires at least "],
  },
  {
    readers: ["rpc/errors/execution-failure.ts#*", "indexer/relayer/planning.ts#revertReasonOf"],
    text: "a node's error about a call",
    bound: "500 characters of its words; its data once",
    run(text) {
      const error = asError(text);
      const failure = executionFailure(error);
      return [revertNameOf(error), failure && revertInWords(failure)];
    },
    beginnings: ["0x", "0x08c379a0", "out of gas", "insufficient funds"],
  },
];

export const own: Own[] = [
  {
    readers: ["api/console/routes.ts#pagePath", "api/console/routes.ts#serveConsole"],
    why: "the path of a request: test/api/http/long-heads.test.ts sends them as long as a head may be",
  },
  { readers: ["api/console/routes.ts#leadToConsole"], why: "the operator's PUBLIC_URL, once" },
  {
    readers: ["api/console/sign-in-origins.ts#*"],
    why: "the description of the identity provider that the operator trusts, of 1 MiB at most",
  },
  {
    readers: ["api/app.ts#refuseBrokenHead", "api/http/request-log.ts#sane"],
    why: "read within a request: test/api/http/long-heads.test.ts sends them as long as a head may be",
  },
  {
    readers: ["api/http/body.ts#*"],
    why: "256 KiB of JSON: test/api/http/raw-requests.test.ts and bad-input.test.ts send the worst of them",
  },
  { readers: ["api/app.ts#expressPath"], why: "paths of our own routes" },
  { readers: ["api/openapi/*"], why: "the OpenAPI document, made of the code" },
  {
    readers: ["client/src/*"],
    why: "in the page that uses the client: its own settings, and answers of the service that it chose",
  },
  { readers: ["domain/index/counters.ts#parseCounterKey"], why: "names of counters that the indexer writes" },
  { readers: ["api/transactions/typed-data-json.ts#inJson"], why: "typed data that this service made" },
  {
    readers: [
      "api/transactions/signed-transaction.ts#feesOfSigned",
      "api/transactions/decoded-call.ts#viewCall",
    ],
    why: "transactions and calls that were checked, or made, when they were stored",
  },
  {
    readers: ["rpc/transport/http.ts#createHttpClient"],
    why: "URLs of the operator's settings",
  },
  {
    readers: ["api/auth/oidc-discovery.ts#*", "api/auth/provider-document.ts#*"],
    why: "documents of the identity provider that the operator trusts, of 1 MiB at most",
  },
  {
    readers: [
      "config.ts#*",
      "db/core/connection-problem.ts#*",
      "db/core/session.ts#*",
      "db/core/server.ts#*",
    ],
    why: "the operator's environment and database server, once at the start or for each connection",
  },
  {
    readers: ["db/core/schema-version.ts#*"],
    why: "names of our own files",
  },
  {
    readers: [
      "db/reads/assets.ts#*",
      "db/reads/asset-list/mixed-page.ts#rowOfJson",
      "db/reads/statuses.ts#parseStatus",
      "db/reads/asset-positions.ts#parsePosition",
      "db/reads/link-history.ts#parsePart",
    ],
    why: "JSON that our own statements make",
  },
  {
    readers: [
      ...[
        "db/service/relays/relayer-nonces.ts#*",
        "db/service/relays/budget.ts#budgetUsed",
        "db/service/relays/relayer.ts#parseRelayer",
        "db/service/requests/facts.ts#parseLinkNonce",
        "domain/asset/gasless.ts#*",
      ],
      ...[
        "domain/asset/typed-data.ts#domainSeparator",
        "indexer/relayer/ending.ts#inTime",
        "indexer/outbox/outcomes.ts#usable",
      ],
      ...["indexer/verify/lines.ts#domainSeparator"],
    ],
    why: "numbers of our own rows and ids",
  },
  {
    readers: ["db/chain/assets.ts#decodeRaw", "indexer/verify/lines.ts#heldLine"],
    why: "what the index itself encoded",
  },
  {
    readers: ["domain/registry/deployed-code.ts#codeMismatch"],
    why: "32 bytes of code whose length was compared before",
  },
  {
    readers: ["indexer/monitoring/port.ts#answer"],
    why: "a head of 16 KiB, by Node, of which each character is looked at once",
  },
  {
    readers: [
      ...["cli/src/run.ts#run", "cli/src/config/file.ts#parse", "cli/src/commands/program.ts#module"],
      ...["cli/src/config/settings.ts#readSettings", "cli/src/config/settings.ts#numberOf"],
      ...["cli/src/blocks/node.ts#hostOf", "cli/src/blocks/node.ts#nodeUrl"],
      ...["cli/src/blocks/trusted.ts#hashForm", "cli/src/blocks/trusted.ts#blockOf"],
      ...["cli/src/blocks/trusted.ts#readBlockFile", "cli/src/commands/arguments.ts#*"],
      ...["cli/src/commands/events.ts#sequenceOf", "cli/src/commands/events.ts#kindsOf"],
      ...["cli/src/commands/status.ts#*", "cli/src/sign/keystore.ts#*", "cli/src/sign/passphrase.ts#*"],
      ...["cli/src/sign/signer.ts#*", "cli/src/config/address.ts#*", "cli/src/commands/wallets.ts#*"],
      "proof/src/bytes/address.ts#checksumAddress",
    ],
    why: "the command line, environment and files of whoever runs the program",
  },
  {
    readers: ["cli/src/service/failure.ts#serviceProblem"],
    why: "the URL that the program has called",
  },
  {
    readers: ["cli/src/files/hash.ts#requireUnchanged"],
    why: "a number that Node counts",
  },
  {
    readers: ["proof/src/file-hash/method-names.ts#otherSpellings"],
    why: "names of the methods, once at the start",
  },
  {
    readers: [
      "domain/url/secrets.ts#hideSecretsOf",
      "domain/url/secrets.ts#hostOf",
      "domain/url/secrets.ts#keyInHost",
    ],
    why: "a URL of the operator's settings, or of their node's host",
  },
  {
    readers: ["indexer/failure-reason.ts#failureReason", "indexer/loop.ts#stopsTheWriting"],
    why: "codes of five characters",
  },
  { readers: ["rpc/node.ts#connectNode"], why: "URLs of the operator's settings" },
  {
    readers: ["rpc/logs/receipts.ts#readReceiptLogs"],
    why: "514 characters of a filter, whose form was checked before",
  },
  {
    readers: ["indexer/relayer/data-fee.ts#*", "rpc/calls/contract.ts#contractCalls"],
    why: "numbers of a node's answer that were checked before",
  },
  { readers: ["domain/url/database-url.ts#*"], why: "a URL of the operator's settings" },
  {
    readers: ["rpc/transport/status-error.ts#statusError", "rpc/client/envelope.ts#*", "rpc/new-heads.ts#*"],
    why: "JSON of the operator's nodes, of 256 MiB at most; of their words 4 KiB and 500 characters",
  },
  {
    readers: ["indexer/verify/lines.ts#cancellationLine", "indexer/verify/lines.ts#assetLine"],
    why: "a log of the registry, whose texts the registry bounds",
  },
  {
    readers: ["indexer/verify/plain-node.ts#createPlainNode"],
    why: "JSON of the operator's node, whose numbers are sorted and joined",
  },
];
