import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Hex, LocalAccount } from "viem";
import { inTransaction } from "../../../db/core/pool.ts";
import { insertKey, keyDigest } from "../../../db/service/api-keys.ts";
import { forgetRelayer, recordRelayer } from "../../../db/service/relays/relayer.ts";
import { storeSigned } from "../../../db/service/transactions/signed.ts";
import { type ErrorCode, errorTable } from "../../../domain/errors.ts";
import { limits } from "../../../domain/limits.ts";
import { type Answer, keys, nowhere, startApi, type TestApi } from "../../support/api.ts";
import { deployer, other, owner } from "../../support/chain/accounts.ts";
import { startLiar } from "../../support/chain/liar.ts";
import { connect } from "../../support/connect.ts";
import { tell } from "../../support/database/tell.ts";
import { idleRelayer } from "../../support/database/writes.ts";
import { readStream } from "../../support/event-stream.ts";
import { type Issuer, startIssuer } from "../../support/issuer.ts";
import { readRaw, sendRaw } from "../../support/raw-http.ts";
import { useSigning } from "../../support/rigs/signing-rig.ts";
import { signAs } from "../../support/sign.ts";

type Failure = Pick<Answer, "status" | "error">;

/** One real request for each code of the table: none stands there that no caller meets. */
describe("every error code", () => {
  const signing = useSigning();
  const { submit, submitRaw, toSign } = signing;
  let issuer: Issuer;
  let users: TestApi;

  before(async () => {
    issuer = await startIssuer();
    users = await startApi({ issuer: issuer.url });
  });
  after(async () => {
    await users.stop();
    await issuer.stop();
  });

  const zeroHash = `0x${"0".repeat(64)}`;
  const zeroId = "00000000-0000-4000-8000-000000000000";
  const noSignature = `0x${"11".repeat(65)}`;
  const lease = () => ({ name: "Lease", author: signing.author.address });
  const create = (options: Parameters<TestApi["post"]>[2] = {}) =>
    signing.api.post("/assets/", lease(), options);

  const signed = async (changes: object = {}, account: LocalAccount = signing.author) =>
    signAs(account, await toSign(), changes);
  const forAnyChain = {
    type: "legacy",
    gasPrice: 2_000_000_000n,
    chainId: undefined,
    maxFeePerGas: undefined,
    maxPriorityFeePerGas: undefined,
  };
  const submitSigned = async (changes: object = {}) => submitRaw(await signed(changes));

  const keyed = (key: string) => ({ headers: { "Idempotency-Key": key } });

  /** While another transaction holds the key, as when the first request is not done yet. */
  async function createInHand(): Promise<Failure> {
    await create(keyed("in-hand"));
    const { pool } = signing.api;
    await pool.query("update service.idempotency_keys set answered_at = now() - interval '24 hours'");
    return inTransaction(pool, async (tx) => {
      await tx.query(
        `select pg_advisory_xact_lock(hashtextextended(concat_ws(' ', caller, operation, key), 0))
         from service.idempotency_keys where key = 'in-hand'`,
      );
      return create(keyed("in-hand"));
    });
  }

  async function readRemovedEvents(api: TestApi): Promise<Failure> {
    await tell(api.pool, { kind: "wallet.removed" }, { kind: "wallet.removed" });
    await api.pool.query("alter table service.events disable trigger keep_recent");
    await api.pool.query("delete from service.events where sequence = 1");
    await api.pool.query("alter table service.events enable trigger keep_recent");
    return api.get("/events/?after=0");
  }

  async function openOneMore(api: TestApi): Promise<Failure> {
    const open = await readStream(`${api.url}/events/stream`, { "X-API-KEY": keys["tenant-a"] });
    return api.get("/events/stream").finally(open.close);
  }

  async function link(method: string, parent: Hex, child: string): Promise<Failure> {
    return signing.api.call(method, `/assets/${parent}/links`, { body: { targetAssetIds: [child] } });
  }
  const onChain = (texts: Parameters<typeof signing.facts.asset>[0] = {}) =>
    signing.facts.asset(texts, signing.author.address);
  const brokenText = Uint8Array.of(0x41, 0xff);

  async function finalOnChain(texts: Parameters<typeof signing.facts.asset>[0] = {}): Promise<Hex> {
    const id = await onChain(texts);
    await signing.facts.emptyBlocks(4);
    return id;
  }

  /** By a node that has other blocks than the index, and no proof of them. */
  async function proveByOldNode(): Promise<Failure> {
    const id = await finalOnChain();
    const liar = await startLiar(signing.anvil.url);
    liar.on("eth_getProof", () => ({ error: { code: -32_601, message: "the method does not exist" } }));
    liar.on("eth_getBlockByNumber", () => ({ result: {} }));
    const api = await startApi({
      registry: signing.api.registry,
      rpcUrl: liar.url,
      database: signing.api.database,
      indexed: false,
    });
    try {
      return await api.get(`/assets/${id}/proof`);
    } finally {
      await api.stop().finally(() => liar.stop());
    }
  }

  async function linkAgain(): Promise<Failure> {
    const [parent, child] = [await onChain(), await onChain()];
    await signing.facts.link(parent, child);
    return link("POST", parent, child);
  }

  async function submitToClosed(): Promise<Failure> {
    const raw = await signed();
    await signing.refuse(await signing.signRefusal());
    return submitRaw(raw);
  }

  async function submitUsedNonce(): Promise<Failure> {
    const raw = await signed();
    const elsewhere = { to: owner.address, data: "0x", gas: 21_000n, nonce: 0 } as const;
    await signing.anvil.receipt(await signing.send(await signed(elsewhere)));
    return submitRaw(raw);
  }

  async function submitHeldNonce(): Promise<Failure> {
    await submitSigned();
    const { transactionId } = await signing.requestAsset();
    return submitRaw(await signAs(signing.author, await toSign(transactionId), { nonce: 0 }), transactionId);
  }

  async function submitUnpaid(): Promise<Failure> {
    const raw = await signed();
    await signing.anvil.rpc("anvil_setBalance", [signing.author.address, "0x0"]);
    return submitRaw(raw);
  }

  async function overspend(): Promise<Failure> {
    await inTransaction(signing.api.pool, (tx) => recordRelayer(tx, idleRelayer(deployer.address, 0n)));
    try {
      const { gasless } = (await signing.read()).value;
      return await submit({ signature: await signing.author.signTypedData(gasless) });
    } finally {
      await inTransaction(signing.api.pool, forgetRelayer);
    }
  }

  const relayer = idleRelayer(deployer.address, 10n ** 18n);
  async function whereRelayed(ask: () => Promise<Failure>): Promise<Failure> {
    await inTransaction(signing.api.pool, (tx) => recordRelayer(tx, relayer));
    return ask().finally(() => inTransaction(signing.api.pool, forgetRelayer));
  }

  async function signBothWays(): Promise<Failure> {
    const { value } = await signing.api.post(`/assets/${await onChain()}/links`, {
      targetAssetIds: [await onChain()],
    });
    const id: string = value.transactionId;
    await inTransaction(signing.api.pool, (tx) =>
      storeSigned(tx, id, {
        hash: `0x${"5a".repeat(32)}`,
        raw: "0x02",
        nonce: 9_999,
        description: undefined,
      }),
    );
    return whereRelayed(() => submit({ signature: noSignature }, id));
  }

  async function signOneTooMany(): Promise<Failure> {
    const { transactionId } = await signing.requestAsset();
    await signing.api.pool.query(
      `with copies as (
         insert into service.requests
         select (jsonb_populate_record(request, jsonb_build_object(
           'id', gen_random_uuid(), 'asset_id', sha256(nth::text::bytea)))).*
         from service.requests request, generate_series(1, $2::int) nth where id = $1 returning id)
       insert into service.relays (request_id, signature, estimated_cost) select id, '\\x00', 0 from copies`,
      [transactionId, limits.waitingRelays],
    );
    return whereRelayed(async () => {
      const { gasless } = (await signing.api.get(`/transactions/${transactionId}`)).value;
      const signature = await signing.author.signTypedData(gasless);
      return submit({ signature }, transactionId).finally(() =>
        signing.api.pool.query("delete from service.relays"),
      );
    });
  }

  /** After a large page, while one page is read and as many wait as may. */
  async function listInCrowd(): Promise<Failure> {
    return whereAll({}, async (api) => {
      const turns = (work: () => Promise<{ small: number }>) => api.services.listTurns("tenant-a", 50, work);
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      await turns(async () => ({ small: 1 }));
      const crowd = Array.from({ length: 51 }, () => turns(() => ended.then(() => ({ small: 1 }))));
      try {
        return await api.get("/assets/");
      } finally {
        end();
        await Promise.all(crowd);
      }
    });
  }

  async function createWithReadKey(): Promise<Failure> {
    const key = "a-key-that-may-read-0123456789";
    const made = { id: randomUUID(), tenant: "tenant-c", name: "", digest: keyDigest(key) };
    await insertKey(signing.api.pool, { ...made, scopes: ["read"] }, "test");
    return create({ key });
  }

  const as = async (user: string) => ({ key: null, bearer: await issuer.token({ sub: user }) });

  async function takeWallet(): Promise<Failure> {
    await connect(users, (await as("alice")).bearer, other);
    return connect(users, (await as("bob")).bearer, other);
  }

  async function connectOneMore(): Promise<Failure> {
    await connect(users, (await as("erin")).bearer, owner);
    await users.pool.query(
      `insert into service.wallets (id, issuer, subject, name, description, address)
       select gen_random_uuid(), issuer, subject, '', '', substring(sha256(n::text::bytea) for 20)
       from service.wallets, generate_series(2, $1::int) n where subject = 'erin'`,
      [limits.wallets],
    );
    return connect(users, (await as("erin")).bearer, deployer);
  }

  const makeWebhook = () => signing.api.post("/webhooks/", { url: "https://receiver.example/" });

  async function redeliverNothing(): Promise<Failure> {
    const { value } = await makeWebhook();
    return signing.api.post(`/webhooks/${value.id}/deliveries/${zeroId}/redeliver`);
  }

  async function makeOneMoreWebhook(): Promise<Failure> {
    for (let made = 0; made < limits.webhooks; made += 1) await makeWebhook();
    return makeWebhook();
  }

  async function testFull(): Promise<Failure> {
    await signing.api.pool.query("delete from service.webhooks");
    const { value } = await makeWebhook();
    await signing.api.pool.query(
      `insert into service.deliveries (webhook_id, event_id, kind, subject)
       select id, gen_random_uuid(), 'webhook.test', '' from service.webhooks, generate_series(1, $1::int)`,
      [limits.waitingDeliveries],
    );
    return signing.api.post(`/webhooks/${value.id}/test`);
  }

  async function endAndPause(): Promise<Failure> {
    await signing.api.pool.query("delete from service.webhooks");
    const { value } = await makeWebhook();
    await signing.api.pool.query("update service.webhooks set state = 'ended', reason = 'gone'");
    return signing.api.patch(`/webhooks/${value.id}`, { state: "paused" });
  }

  async function startOneMore(): Promise<Failure> {
    const frank = await as("frank");
    await users.call("POST", "/wallets/", frank);
    await users.pool.query(
      `insert into service.wallet_initialisations (id, issuer, subject, name, description, token, expires_at)
       select gen_random_uuid(), issuer, subject, '', '', gen_random_uuid()::text, expires_at
       from service.wallet_initialisations, generate_series(2, $1::int) n where subject = 'frank'`,
      [limits.openInitialisations],
    );
    return users.call("POST", "/wallets/", frank);
  }

  /** Confirms an initialisation of carol's after this was done to it. */
  async function confirmAfter(change: string): Promise<Failure> {
    const carol = await as("carol");
    const { value } = await users.call("POST", "/wallets/", carol);
    await users.pool.query(`update service.wallet_initialisations set ${change} = now() where id = $1`, [
      value.id,
    ]);
    const proof = { ethereumAddress: owner.address, signature: noSignature };
    return users.post(`/wallets/${value.id}/confirm`, proof, carol);
  }

  /** What an API answers that is cut off from something. */
  async function whereAll(
    options: Parameters<typeof startApi>[0],
    ask: (api: TestApi) => Promise<Failure>,
  ): Promise<Failure> {
    const api = await startApi({ registry: signing.api.registry, ...options });
    try {
      return await ask(api);
    } finally {
      await api.stop();
    }
  }

  async function readFromDeadNode(): Promise<Failure> {
    return whereAll({ rpcUrl: nowhere }, async (api) => {
      const { value } = await api.post("/assets/", lease());
      return api.get(`/transactions/${value.transactionId}`);
    });
  }

  async function stumble(): Promise<Failure> {
    return whereAll({}, (api) => {
      api.services.pool.query = () => {
        throw new Error("a fault of ours");
      };
      return api.get("/status");
    });
  }

  async function raw(bytes: string, silence?: number): Promise<Failure> {
    const { status, body } = readRaw(await sendRaw(signing.api.port, bytes, silence));
    return { status, ...JSON.parse(body) };
  }

  async function neverEnd(): Promise<Failure> {
    const { server } = signing.api;
    const { headersTimeout, requestTimeout } = server;
    Object.assign(server, { headersTimeout: 100, requestTimeout: 200 });
    try {
      return await raw("GET /health HTTP/1.1\r\nHost:", 15_000);
    } finally {
      Object.assign(server, { headersTimeout, requestTimeout });
    }
  }

  const requests: Partial<Record<ErrorCode, () => Promise<Failure>>> = {
    INVALID_REQUEST: () => signing.api.post("/assets/", {}),
    MALFORMED_JSON: () => signing.api.post("/assets/", "{"),
    MALFORMED_PATH: () => signing.api.get("/assets/%"),
    SIGNED_TRANSACTION_MALFORMED: () => submitRaw("0x02"),
    API_KEY_MISSING: () => create({ key: null }),
    API_KEY_INVALID: () => create({ key: "wrong" }),
    IDENTITY_TOKEN_MISSING: () => signing.api.get("/wallets/"),
    IDENTITY_TOKEN_INVALID: () => create({ bearer: "wrong" }),
    METRICS_TOKEN_INVALID: () =>
      whereAll({ environment: { METRICS_TOKEN: "a-token-of-the-operator-0123" } }, (api) =>
        api.get("/metrics", { key: null, bearer: "another" }),
      ),
    AUTHOR_NOT_YOURS: async () =>
      users.post("/assets/", lease(), { bearer: await issuer.token({ sub: "dave" }) }),
    KEY_SCOPE_TOO_NARROW: createWithReadKey,
    ROUTE_NOT_FOUND: () => signing.api.get("/nothing"),
    ASSET_NOT_FOUND: () => signing.api.get(`/assets/${zeroHash}`),
    TRANSACTION_NOT_FOUND: () => signing.api.get(`/transactions/${zeroId}`),
    WALLET_NOT_FOUND: async () => users.remove(`/wallets/${zeroId}`, await as("alice")),
    WEBHOOK_NOT_FOUND: () => signing.api.get(`/webhooks/${zeroId}`),
    DELIVERY_NOT_FOUND: redeliverNothing,
    TOO_MANY_WEBHOOKS: makeOneMoreWebhook,
    TOO_MANY_DELIVERIES: testFull,
    WEBHOOK_NOT_ACTIVE: endAndPause,
    METHOD_NOT_ALLOWED: () => signing.api.call("PUT", "/assets/"),
    REQUEST_TIMEOUT: neverEnd,
    ASSET_NOT_ON_CHAIN: async () => link("POST", signing.assetId, await onChain()),
    ASSET_NOT_FINAL: async () => signing.api.get(`/assets/${await onChain()}/proof`),
    ALREADY_LINKED: linkAgain,
    NOT_LINKED: async () => link("PATCH", await onChain(), await onChain()),
    TRANSACTION_CLOSED: submitToClosed,
    NONCE_TOO_LOW: submitUsedNonce,
    NONCE_GAP: () => submitSigned({ nonce: 5 }),
    NONCE_IN_USE: submitHeldNonce,
    INSUFFICIENT_FUNDS: submitUnpaid,
    EVENT_AHEAD: () => signing.api.get("/events/?after=999999999"),
    EVENTS_GONE: () => whereAll({}, readRemovedEvents),
    TOO_MANY_STREAMS: () => whereAll({ environment: { MAX_STREAMS: "1" } }, openOneMore),
    IDEMPOTENCY_KEY_IN_USE: createInHand,
    OTHER_WAY_TAKEN: signBothWays,
    TOO_MANY_RELAYS: signOneTooMany,
    RELAYER_DISABLED: () => submit({ signature: noSignature }),
    WALLET_TAKEN: takeWallet,
    TOO_MANY_WALLETS: connectOneMore,
    TOO_MANY_OPEN_INITIALISATIONS: startOneMore,
    INITIALISATION_USED: () => confirmAfter("used_at"),
    INITIALISATION_EXPIRED: () => confirmAfter("expires_at"),
    BODY_TOO_LARGE: () => signing.api.post("/assets/", " ".repeat(300_000)),
    UNSUPPORTED_MEDIA_TYPE: () => signing.api.call("POST", "/assets/", { raw: "{}" }),
    IDEMPOTENCY_KEY_REUSED: async () => {
      await create(keyed("reused"));
      return signing.api.post("/assets/", { ...lease(), name: "Another" }, keyed("reused"));
    },
    TARGET_NOT_FOUND: async () => link("POST", await onChain(), zeroHash),
    TEXTS_NOT_UTF8: async () => signing.api.get(`/assets/${await finalOnChain({ name: brokenText })}/proof`),
    WRONG_CHAIN: () => submitSigned({ chainId: 1 }),
    REPLAYABLE_TRANSACTION: () => submitSigned(forAnyChain),
    UNSUPPORTED_TRANSACTION_TYPE: async () => submitRaw(`0x03${(await signed()).slice(4)}`),
    TRANSACTION_MISMATCH: () => submitSigned({ to: owner.address }),
    SIGNER_MISMATCH: async () => submitRaw(await signed({}, other)),
    FEE_TOO_LOW: () => submitSigned({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }),
    GAS_TOO_LOW: () => submitSigned({ gas: 21_000n }),
    SIGNATURE_INVALID: () => signing.refuse(noSignature),
    RELAYER_BUDGET_SPENT: overspend,
    RATE_LIMITED: () =>
      whereAll({ environment: { RATE_LIMIT: "1" } }, async (api) => {
        await api.get("/assets/");
        return api.get("/assets/");
      }),
    TOO_MANY_AT_ONCE: listInCrowd,
    TOO_MANY_OPEN_REQUESTS: () =>
      whereAll({ environment: { MAX_OPEN_REQUESTS: "1" } }, async (api) => {
        await api.post("/assets/", lease());
        return api.post("/assets/", lease());
      }),
    HEADERS_TOO_LARGE: () => raw(`GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(40_000)}\r\n\r\n`),
    INTERNAL_ERROR: stumble,
    PROOF_UNAVAILABLE: proveByOldNode,
    NODE_UNAVAILABLE: readFromDeadNode,
    DATABASE_UNAVAILABLE: () => whereAll({ databaseDown: true }, (api) => api.get("/assets/")),
    IDENTITY_PROVIDER_UNAVAILABLE: async () => create({ bearer: await issuer.token({ iss: nowhere }) }),
    NOT_READY: () => whereAll({ indexed: false }, (api) => api.get("/ready")),
  };

  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    it(`${code} is the answer where ${errorTable[code].when}`, async () => {
      const request = requests[code];
      if (request === undefined) expect.fail(`No request here is answered ${code}: add one to \`requests\``);
      const { status, error } = await request();
      expect({ status, code: error?.code }, error?.message).to.deep.equal({
        status: errorTable[code].status,
        code,
      });
    });
  }
});
