import { randomBytes, randomUUID } from "node:crypto";
import { pino } from "pino";
import {
  createTestClient,
  encodeFunctionData,
  type Hash,
  type Hex,
  http,
  keccak256,
  type LocalAccount,
  publicActions,
  toHex,
} from "viem";
import { foundry } from "viem/chains";
import { inTransaction, openPool } from "../../../db/core/pool.ts";
import { createWakeSignal } from "../../../db/core/wake-signal.ts";
import { forgetRelayer } from "../../../db/service/relays/relayer.ts";
import { findRequest } from "../../../db/service/requests/find.ts";
import type { HistoryEntry } from "../../../db/service/requests/history.ts";
import type { Change, LinkChange, Request } from "../../../db/service/requests/request.ts";
import type { AssetDetails, AssetId } from "../../../domain/asset/asset.ts";
import type { Registry } from "../../../domain/asset/typed-data.ts";
import { backOff } from "../../../domain/back-off.ts";
import { registryAbi } from "../../../domain/registry/abi.ts";
import { type AssetState, deriveState } from "../../../domain/request/state.ts";
import { type Delays, followChain } from "../../../indexer/loop.ts";
import { createMetrics } from "../../../indexer/monitoring/metrics.ts";
import type { RequiredRepeats } from "../../../indexer/outbox/repeated-answer.ts";
import { createWatch } from "../../../indexer/outbox/send-and-watch.ts";
import { createRelayer, type RelayerSettings } from "../../../indexer/relayer/relayer.ts";
import { createSweep } from "../../../indexer/sweep.ts";
import { beginIndex } from "../../../indexer/sync/begin.ts";
import { createSync } from "../../../indexer/sync/sync.ts";
import { listenForHeads } from "../../../rpc/new-heads.ts";
import { connectNode } from "../../../rpc/node.ts";
import { assetId } from "../asset-id.ts";
import { owner } from "../chain/accounts.ts";
import { takeRegistryChain } from "../chain/registry-chain.ts";
import { historyOf } from "../database/history.ts";
import { createDatabase, type TestDatabase } from "../database/postgres.ts";
import { handIn, reportHash as storeReported, storeRequest } from "../database/writes.ts";
import { eventually } from "../eventually.ts";
import { expectIndexOfChain } from "../invariants.ts";

export const sampleDetails: AssetDetails = {
  name: "Lease",
  data: "Flat 3",
  fileName: "lease.pdf",
  fileType: "pdf",
  fileSize: "1024",
  method: "SHA2-256",
  hash: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  uri: "https://example.org/lease.pdf",
};

export type RigOptions = {
  confirmations?: number | "finalized";
  pollInterval?: number;
  relayer?: RelayerSettings;
  /** What the indexer gets as RPC_URL, in place of the chain's own URL. */
  nodeUrls?: (url: string) => string[] | Promise<string[]>;
  /** How long a node must say that a transaction is over until it is believed. */
  repeats?: RequiredRepeats;
  /** A database that the caller drops; otherwise one of its own. */
  database?: TestDatabase;
  /** A chain whose node keeps no states of another test's. */
  unusedChain?: boolean;
};

/** A tenth of the usual ones: nothing here needs so long to get well. */
const shortDelays: Delays = { retry: (failures) => backOff(failures) / 10, halted: 0.5 };

export type Rig = Awaited<ReturnType<typeof startRig>>;

/**
 * A chain that mines only when told, a deployed registry, a database and an indexer that runs in this
 * process. Nothing is mined behind a test's back.
 */
export async function startRig({
  confirmations = 5,
  pollInterval = 50,
  relayer: relayerSettings,
  repeats,
  nodeUrls = (url) => [url],
  database: given,
  unusedChain: unused = false,
}: RigOptions = {}) {
  const { anvil, deployment, release } = await takeRegistryChain({ unused });
  const database = given ?? (await createDatabase());
  await anvil.rpc("evm_setAutomine", [false]);
  const registry: Registry = { chainId: deployment.chainId, address: deployment.registry };
  const chain = createTestClient({ mode: "anvil", chain: foundry, transport: http(anvil.url) }).extend(
    publicActions,
  );
  const pool = openPool(database.url, { application: "test" });
  const logged: LogLine[] = [];
  const log = pino(
    { level: "info" },
    {
      write(line: string) {
        logged.push(JSON.parse(line));
        if (process.env["TEST_LOG_LEVEL"]) process.stderr.write(line);
      },
    },
  );
  const metrics = createMetrics();
  const urls = await nodeUrls(anvil.url);

  let running: { stop: () => Promise<void> } | undefined;

  /** @param settings of the relayer; null: without one */
  async function startIndexer(settings: RelayerSettings | null = relayerSettings ?? null): Promise<void> {
    const abort = new AbortController();
    const { signal } = abort;
    const node = connectNode(urls, { signal, log, metrics });
    await beginIndex(pool, node, { registry: registry.address, startBlock: deployment.blockNumber });
    const sync = createSync({ pool, node, confirmations, log, metrics, signal });
    const watch = createWatch({ pool, node, log, nextAttemptSeconds: 0.5, ...(repeats && { repeats }) });
    const relayer = createRelayer(
      { pool, node, log, repeats: repeats ?? { attempts: 3, seconds: 0 } },
      settings ?? undefined,
    );
    if (settings === null) await inTransaction(pool, forgetRelayer);
    const newHead = createWakeSignal();
    const sockets = urls.filter((url) => url.startsWith("ws"));
    const ended = Promise.all([
      listenForHeads(sockets, { onHead: newHead.wake, log, metrics, signal, beatMs: 500 }),
      followChain(
        { step: sync.step, pass: watch.pass, relay: relayer.pass, sweep: createSweep(pool) },
        { pool, pollInterval, log, metrics, newHead, delays: shortDelays },
        signal,
      ),
    ]);
    running = {
      stop: async () => {
        abort.abort();
        await ended;
        node.close();
      },
    };
  }

  async function stopIndexer(): Promise<void> {
    await running?.stop();
    running = undefined;
  }

  async function request(assetId: AssetId, change: Change, author: LocalAccount): Promise<string> {
    const id = randomUUID();
    const calldata = calldataOf(assetId, change);
    const asked = { id, tenant: "test", author: author.address, assetId, registry, calldata, ttl: 600 };
    await inTransaction(pool, (tx) => storeRequest(tx, { ...asked, change }));
    return id;
  }

  async function requestCreation(details = sampleDetails, author: LocalAccount = owner) {
    const salt = toHex(randomBytes(32));
    const asset = assetId(registry, { author: author.address, salt, details });
    return { id: await request(asset, { kind: "create", salt, details }, author), asset };
  }

  const requestLinkChange = (parent: AssetId, change: LinkChange, author: LocalAccount = owner) =>
    request(parent, change, author);

  /** Signs the call of a request, or another call, as a wallet does. */
  async function sign(
    data: Hex,
    {
      account = owner,
      nonce,
      gas = 300_000n,
      to = registry.address,
      tip = 1_000_000_000n,
      value = 0n,
    }: SignOptions = {},
  ): Promise<{ raw: Hex; nonce: number }> {
    const used =
      nonce ?? (await chain.getTransactionCount({ address: account.address, blockTag: "pending" }));
    const raw = await account.signTransaction({
      type: "eip1559",
      chainId: registry.chainId,
      nonce: used,
      to,
      data,
      value,
      gas,
      maxFeePerGas: 20_000_000_000n + tip,
      maxPriorityFeePerGas: tip,
    });
    return { raw, nonce: used };
  }

  /** Hands a signed transaction to the service. */
  async function submit(requestId: string, signed: { raw: Hex; nonce: number }): Promise<Hash> {
    const hash = keccak256(signed.raw);
    await inTransaction(pool, (tx) => handIn(tx, requestId, { hash, ...signed }));
    return hash;
  }

  const reportHash = (requestId: string, hash: Hash) =>
    inTransaction(pool, (tx) => storeReported(tx, requestId, hash));

  const send = (raw: Hex) => chain.sendRawTransaction({ serializedTransaction: raw });

  async function find(id: string): Promise<Request> {
    const found = await findRequest(pool, id);
    if (found === undefined) throw new Error(`There is no request ${id}`);
    return found;
  }

  const stateOf = async (id: string) => deriveState((await find(id)).facts);

  /** Waits for a state and answers the request as it is then. */
  async function reach(id: string, state: AssetState, seconds?: number): Promise<Request> {
    await eventually(
      `state ${state}`,
      () => stateOf(id),
      (seen) => seen.state === state,
      seconds,
    );
    return find(id);
  }

  /** Lets the blocks, the attempts and the time pass after which a node's word that a request is over is believed. */
  async function giveUp(id: string): Promise<Request> {
    await eventually(
      "the request given up",
      async () => {
        await chain.mine({ blocks: 1 });
        await pool.query(
          `update service.transactions set next_attempt_at = now(),
             missing_since = missing_since - interval '31 seconds',
             rejected_since = rejected_since - interval '31 seconds'`,
        );
        return stateOf(id);
      },
      ({ state }) => state === "RevokedByTxServer",
      30,
    );
    return find(id);
  }

  const history = async (id: string): Promise<HistoryEntry[]> => historyOf(pool, id);

  /** Waits until the indexer has read everything up to the chain's head. */
  const caughtUp = async (seconds?: number) => {
    const head = await chain.getBlock();
    await eventually(
      `block ${head.number} indexed`,
      async () =>
        (await pool.query("select block_hash from chain.cursor")).rows[0]?.block_hash?.toString("hex"),
      (hash) => `0x${hash}` === head.hash,
      seconds,
    );
  };

  let differsOnPurpose = false;

  async function stop(): Promise<void> {
    await stopIndexer();
    try {
      if (!differsOnPurpose) await expectIndexOfChain(pool, anvil.url);
    } finally {
      await pool.end();
      if (given === undefined) await database.drop();
      release();
    }
  }

  return {
    anvil,
    chain,
    metrics,
    logged,
    database,
    pool,
    registry,
    deployment,
    startIndexer,
    stopIndexer,
    requestLinkChange,
    requestCreation,
    sign,
    submit,
    reportHash,
    send,
    find,
    stateOf,
    reach,
    giveUp,
    history,
    caughtUp,
    mine: (blocks = 1) => chain.mine({ blocks }),
    /** The test has written into the index itself, or ends what it would be held against. */
    differOnPurpose(): void {
      differsOnPurpose = true;
    },
    stop,
  };
}

type LogLine = {
  level: number;
  msg: string;
  reason?: string;
  hash?: string;
  asset?: string;
  err?: { message: string };
  provider?: string;
  time: number;
};

type SignOptions = {
  account?: LocalAccount;
  nonce?: number;
  gas?: bigint;
  to?: Hex;
  tip?: bigint;
  value?: bigint;
};

export function calldataOf(parent: AssetId, change: Change): Hex {
  if (change.kind === "create") {
    return encodeFunctionData({
      abi: registryAbi,
      functionName: "createAsset",
      args: [change.salt, change.details],
    });
  }
  const functionName = change.kind === "link" ? "link" : "revokeLinks";
  return encodeFunctionData({
    abi: registryAbi,
    functionName,
    args: [parent, change.targets.map(({ child }) => child)],
  });
}
