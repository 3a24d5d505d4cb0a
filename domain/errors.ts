type ErrorEntry = { status: number; when: string; fix: string };

/** Every error of the API: HTTP status, when it is answered, and what to do. The table in docs/api.md is compared with it by a test. */
export const errorTable = {
  INVALID_REQUEST: {
    status: 400,
    when: "a field, parameter or header has a bad value, is missing or is unknown",
    fix: "correct each field named in `details`",
  },
  MALFORMED_JSON: {
    status: 400,
    when: "the body is not a JSON object in UTF-8",
    fix: "send one JSON object",
  },
  MALFORMED_PATH: {
    status: 400,
    when: "the path is not valid percent-encoded UTF-8",
    fix: "encode the path",
  },
  SIGNED_TRANSACTION_MALFORMED: {
    status: 400,
    when: "the signed transaction cannot be read",
    fix: "send the wallet's raw transaction unchanged: 0x and an even number of hex digits",
  },
  API_KEY_MISSING: { status: 401, when: "there is no X-API-KEY header", fix: "send your key in X-API-KEY" },
  API_KEY_INVALID: {
    status: 401,
    when: "the key is unknown or revoked, or sent twice",
    fix: "check the key, or ask the operator for a new one",
  },
  IDENTITY_TOKEN_MISSING: {
    status: 401,
    when: "a wallet operation has no Authorization header",
    fix: "send Authorization: Bearer and your identity token",
  },
  IDENTITY_TOKEN_INVALID: {
    status: 401,
    when: "the bearer token is malformed, expired, or not made by the issuer for this service",
    fix: "sign in again and send the new token",
  },
  METRICS_TOKEN_INVALID: {
    status: 401,
    when: "a METRICS_TOKEN is set, and `GET /metrics` does not bring it",
    fix: "send Authorization: Bearer and the operator's token",
  },
  AUTHOR_NOT_YOURS: {
    status: 403,
    when: "the bearer's wallets do not hold the author of the asset",
    fix: "connect that address to the user first, or act as its owner",
  },
  KEY_SCOPE_TOO_NARROW: {
    status: 403,
    when: "the API key has not the scope that the operation needs: `read`, `write` or `webhooks`",
    fix: "use a key of the scope that the message names",
  },
  ROUTE_NOT_FOUND: { status: 404, when: "there is nothing at this path", fix: "check the path" },
  ASSET_NOT_FOUND: { status: 404, when: "no asset has this id", fix: "check the id" },
  TRANSACTION_NOT_FOUND: { status: 404, when: "no transaction has this id", fix: "check the id" },
  WALLET_NOT_FOUND: { status: 404, when: "the user has no wallet with this id", fix: "check the id" },
  WEBHOOK_NOT_FOUND: { status: 404, when: "the tenant has no webhook with this id", fix: "check the id" },
  DELIVERY_NOT_FOUND: {
    status: 404,
    when: "the webhook has no delivery with this id, or its event has been removed from the log",
    fix: "check the id, and read the present state of what it was about",
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    when: "the path has no such method",
    fix: "use a method named in Allow",
  },
  REQUEST_TIMEOUT: { status: 408, when: "the request did not arrive in time", fix: "send it again" },
  ASSET_NOT_ON_CHAIN: {
    status: 409,
    when: "the parent or a target is registered here but not on the chain yet",
    fix: "wait until the named assets are Committed",
  },
  ASSET_NOT_FINAL: {
    status: 409,
    when: "a proof is asked for of an asset that is not on the chain yet, or whose block is not final",
    fix: "wait until the asset is Confirmed",
  },
  ALREADY_LINKED: {
    status: 409,
    when: "a link to a target stands already",
    fix: "leave out the named targets",
  },
  NOT_LINKED: { status: 409, when: "no link to a target stands", fix: "leave out the named targets" },
  TRANSACTION_CLOSED: {
    status: 409,
    when: "the transaction has ended, or is on the chain already",
    fix: "read its state; make a new request if it was revoked",
  },
  NONCE_TOO_LOW: {
    status: 409,
    when: "the author has used the nonce of the signed transaction already",
    fix: "read the transaction again and sign with its `nonce`",
  },
  NONCE_GAP: {
    status: 409,
    when: "an earlier nonce of the author has no transaction yet",
    fix: "sign with `nextNonce`, or hand in or refuse the request that the message names",
  },
  NONCE_IN_USE: {
    status: 409,
    when: "another signed transaction of the author holds the nonce",
    fix: "sign with `nonce`; to replace one of the same request, with fees at least 10 % higher",
  },
  INSUFFICIENT_FUNDS: {
    status: 409,
    when: "the author's balance does not cover gas limit times fee",
    fix: "send the author more, then hand it in again, or sign with a lower fee",
  },
  OTHER_WAY_TAKEN: {
    status: 409,
    when: "a link change was signed as a transaction and for the relayer, and the first of the two is under way",
    fix: "wait for the first; one is enough",
  },
  RELAYER_DISABLED: {
    status: 409,
    when: "no relayer works here, so nobody sends what the author only signs",
    fix: "hand in a signed transaction instead",
  },
  EVENT_AHEAD: {
    status: 409,
    when: "events are asked for after one that the log does not hold yet, as of another service or of a database that was restored",
    fix: "continue from a position that this service gave, or start over",
  },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 409,
    when: "a request with the same Idempotency-Key is being carried out",
    fix: "send it again after `Retry-After` seconds",
  },
  WALLET_TAKEN: {
    status: 409,
    when: "the address is connected to another user",
    fix: "that user must remove the wallet first",
  },
  TOO_MANY_WALLETS: {
    status: 409,
    when: "the user has as many wallets as are allowed",
    fix: "remove one first",
  },
  TOO_MANY_WEBHOOKS: {
    status: 409,
    when: "the tenant has as many webhooks as are allowed",
    fix: "remove one first",
  },
  TOO_MANY_DELIVERIES: {
    status: 409,
    when: "a test or one event again is asked for while as many deliveries as are allowed wait for the webhook",
    fix: "send it again when the receiver has taken some; what waits is delivered by itself",
  },
  WEBHOOK_NOT_ACTIVE: {
    status: 409,
    when: "the webhook is paused or has ended, so nothing is sent to it",
    fix: "set its `state` to `active` first; its `reason` says why it is not",
  },
  INITIALISATION_USED: {
    status: 409,
    when: "this initialisation has been completed",
    fix: "start a new one",
  },
  EVENTS_GONE: {
    status: 410,
    when: "events are asked for after one so old that some since then have been removed",
    fix: "start over where the message says, and read the present state of what matters to you",
  },
  INITIALISATION_EXPIRED: { status: 410, when: "this initialisation has expired", fix: "start a new one" },
  BODY_TOO_LARGE: { status: 413, when: "the body is larger than 256 KiB", fix: "send less" },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    when: "the body is not application/json in UTF-8, or in an unknown compression",
    fix: "send Content-Type: application/json",
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    when: "the Idempotency-Key belongs to another request, of another body or path",
    fix: "repeat a request unchanged; give a new one a new key",
  },
  TARGET_NOT_FOUND: { status: 422, when: "no asset has the id of a target", fix: "check the named ids" },
  TEXTS_NOT_UTF8: {
    status: 422,
    when: "a proof is asked for of an asset that has texts with bytes that are no UTF-8, made without this service",
    fix: "check the record on the chain itself: JSON cannot hold the texts",
  },
  WRONG_CHAIN: {
    status: 422,
    when: "the transaction is signed for another chain",
    fix: "switch the wallet to the chain of the registry and sign again",
  },
  REPLAYABLE_TRANSACTION: {
    status: 422,
    when: "the signature names no chain, so it is valid on every chain",
    fix: "sign with replay protection (EIP-155) or as type 2",
  },
  UNSUPPORTED_TRANSACTION_TYPE: {
    status: 422,
    when: "the transaction is of a type that the service does not send",
    fix: "sign as legacy, EIP-2930 or EIP-1559 transaction",
  },
  TRANSACTION_MISMATCH: {
    status: 422,
    when: "the signed transaction is not the generated call",
    fix: "sign `to`, `data` and `value` exactly as given",
  },
  SIGNER_MISMATCH: {
    status: 422,
    when: "somebody else than the author signed",
    fix: "switch the wallet to the author's account and sign again",
  },
  FEE_TOO_LOW: {
    status: 422,
    when: "the signed fee is below the chain's current base fee",
    fix: "read the transaction again and sign with its fees",
  },
  GAS_TOO_LOW: {
    status: 422,
    when: "the gas limit is below what the call needs",
    fix: "read the transaction again and sign with its `gas`",
  },
  SIGNATURE_INVALID: {
    status: 422,
    when: "the signature is not the signer's over the given typed data",
    fix: "sign the typed data exactly as given, with the right account",
  },
  RELAYER_BUDGET_SPENT: {
    status: 429,
    when: "the tenant's requests have cost the relayer the day's budget",
    fix: "hand in a signed transaction, or try again after `Retry-After` seconds",
  },
  TOO_MANY_RELAYS: {
    status: 429,
    when: "the tenant has as many gasless signatures waiting for the relayer as are allowed",
    fix: "hand in a signed transaction, or the signature again when some have been sent",
  },
  RATE_LIMITED: {
    status: 429,
    when: "the key, or the address without a valid key, has asked too often or with wrong credentials",
    fix: "wait for `Retry-After` seconds; `RateLimit` says what is left",
  },
  TOO_MANY_AT_ONCE: {
    status: 429,
    when: "so many calls for one author, asset or transaction, or of one caller's large lists or proofs, wait for each other that this one would wait too long",
    fix: "send fewer at once, and this one again after `Retry-After` seconds",
  },
  TOO_MANY_STREAMS: {
    status: 429,
    when: "the key, or the address without one, has as many streams of events open as are allowed",
    fix: "close one, or let one serve all that you read; then try again after `Retry-After` seconds",
  },
  TOO_MANY_OPEN_REQUESTS: {
    status: 429,
    when: "the tenant has as many requests that no author has answered, or open changes of one asset's links, as are allowed",
    fix: "let authors sign or refuse some, or wait until some are on the chain or expire",
  },
  TOO_MANY_OPEN_INITIALISATIONS: {
    status: 429,
    when: "the user has as many wallet initialisations open as are allowed",
    fix: "complete one, or wait until the oldest expire",
  },
  HEADERS_TOO_LARGE: { status: 431, when: "the headers are larger than 32 KiB", fix: "send less" },
  INTERNAL_ERROR: {
    status: 500,
    when: "the service failed",
    fix: "try again; name the X-Request-Id to the operator",
  },
  PROOF_UNAVAILABLE: {
    status: 501,
    when: "no node behind the service proves the state of the newest final block: it has no `eth_getProof`, has pruned that state, or tells no header that hashes to the block",
    fix: "ask the operator to add a node to `RPC_URL` that does",
  },
  NODE_UNAVAILABLE: { status: 503, when: "the chain's node does not answer", fix: "try again later" },
  DATABASE_UNAVAILABLE: { status: 503, when: "the database does not answer", fix: "try again later" },
  IDENTITY_PROVIDER_UNAVAILABLE: {
    status: 503,
    when: "the identity provider's keys cannot be read",
    fix: "try again later",
  },
  NOT_READY: {
    status: 503,
    when: "the index is not caught up with the chain, or the database's schema is older than the service",
    fix: "try again later",
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorTable;

/** One bad field of a request. */
export type ErrorDetail = { field: string; message: string };

/** An error that a caller can act on. Any other exception is answered by INTERNAL_ERROR without details. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly details: ErrorDetail[];

  /** @param options `cause` is for the log, and shown to no caller */
  constructor(code: ErrorCode, message: string, details: ErrorDetail[] = [], options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}
