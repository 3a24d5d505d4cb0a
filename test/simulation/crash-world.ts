import { setTimeout as sleep } from "node:timers/promises";
import { keccak256, type LocalAccount } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { readIndexPosition } from "../../db/reads/index-position.ts";
import { freePort } from "../../scripts/local/ports.ts";
import { type Answer, keys, nowhere } from "../support/api.ts";
import { historyOf } from "../support/database/history.ts";
import type { TestDatabase } from "../support/database/postgres.ts";
import { toldOtherwise } from "../support/database/told-index.ts";
import { eventually } from "../support/eventually.ts";
import { startLiarRig } from "../support/rigs/liar-rig.ts";
import { signAs } from "../support/sign.ts";
import { killedProcess } from "./crash-process.ts";

const phrase = "test test test test test test test test test test test junk";

/** Seconds after which a busy machine is no excuse any more. */
const patience = 120;

/** What a client was told is stored. */
export type Submitted = { asset: string; id: string; hash: string; signedTransaction: string };

export type Customer = { account: LocalAccount; submitted: Submitted[] };

export type CrashWorld = Awaited<ReturnType<typeof startCrashWorld>>;

type CrashWorldOptions = {
  /** A database that the caller drops. */
  database?: TestDatabase;
  /** Settings of the API. */
  settings?: Record<string, string>;
};

/** API and indexer as processes of their own that can be ended by kill -9, before a chain behind LIAR. */
export async function startCrashWorld({ database, settings = {} }: CrashWorldOptions = {}) {
  const rig = await startLiarRig(database === undefined ? {} : { database });
  const port = await freePort();
  const environment = {
    DATABASE_URL: rig.database.url,
    RPC_URL: rig.liar.url,
    REGISTRY_ADDRESS: rig.registry.address,
    START_BLOCK: String(rig.deployment.blockNumber),
    CONFIRMATIONS: "5",
  };
  const answeredBadly: string[] = [];
  let handedIn = 0;

  /** Waits until something is no longer what it is now. */
  async function change(what: string, probe: () => Promise<unknown>): Promise<void> {
    const before = await probe();
    await eventually(what, probe, (now) => now !== before, patience);
  }

  const api = killedProcess({
    file: "api/main.ts",
    environment: {
      PORT: String(port),
      OIDC_ISSUER: nowhere,
      API_KEYS: `tenant-a:${keys["tenant-a"]}`,
      RATE_LIMIT: "0",
      ...environment,
      ...settings,
    },
    working: () => change("a transaction handed in", async () => handedIn),
  });
  const indexer = killedProcess({
    file: "indexer/main.ts",
    environment: { POLL_INTERVAL: "50", LEASE_SECONDS: "1", ...environment },
    working: async ({ until }) => {
      await until("indexing started");
      await change("a block indexed", async () => (await readIndexPosition(rig.pool))?.blockHash);
    },
  });

  // Only a process that ends by itself keeps what it compiled for those that will be killed.
  await Promise.all([api.help(), indexer.help()]);

  /** @returns undefined where no answer came */
  async function call(
    method: string,
    path: string,
    body?: object,
    more: Record<string, string> = {},
  ): Promise<Answer | undefined> {
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { "X-API-KEY": keys["tenant-a"], "Content-Type": "application/json", ...more },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(10_000),
      });
      const { status, headers } = response;
      const answer = { status, headers, ...((await response.json()) as object) } as Answer;
      if (status === 500) answeredBadly.push(`${method} ${path} was answered by 500`);
      return answer;
    } catch {
      return undefined;
    }
  }

  /** Repeats a call, as a client does, until it is answered by something else than trouble that passes. */
  async function persist(method: string, path: string, body?: object): Promise<Answer> {
    const answer = await eventually(
      `an answer to ${method} ${path}`,
      () => call(method, path, body),
      (said) => said !== undefined && said.status < 500,
      patience,
    );
    if (answer === undefined || answer.status >= 300) {
      throw new Error(`${method} ${path} was answered by ${answer?.status} ${answer?.error?.message}`);
    }
    return answer;
  }

  /** Asks for an asset and signs it; what is handed in is not sent yet. */
  async function prepare(customer: Customer): Promise<Submitted> {
    const { account } = customer;
    const { value } = await persist("POST", "/assets/", { name: "Deed", author: account.address });
    const { id: asset, transactionId: id } = value as { id: string; transactionId: string };
    const { value: toSign } = await persist("GET", `/transactions/${id}`);
    // A wallet counts for itself: what the node says may be of a chain that a reorg has just cut short.
    const signedTransaction = await signAs(account, {
      ...toSign,
      nonce: customer.submitted.length,
      gas: toSign.gas ?? "0x7a120",
      maxFeePerGas: "0x746a528800",
    });
    return { asset, id, hash: keccak256(signedTransaction), signedTransaction };
  }

  async function handIn(customer: Customer, submitted: Submitted): Promise<void> {
    const { signedTransaction } = submitted;
    const { value } = await persist("POST", `/transactions/${submitted.id}/submit`, { signedTransaction });
    if (value.transactionHash !== submitted.hash) throw new Error("another hash was answered");
    customer.submitted.push(submitted);
    handedIn += 1;
  }

  /** What is wrong with what the service says of everything that it was handed in, once all is on the chain. */
  async function problems(customers: readonly Customer[]): Promise<string[]> {
    const found = [
      ...answeredBadly,
      ...api.problems(),
      ...indexer.problems(),
      ...(await toldOtherwise(rig.pool)),
    ];
    for (const { account, submitted } of customers) {
      const nonce = await rig.chain.getTransactionCount({ address: account.address });
      if (nonce !== submitted.length) {
        found.push(
          `${account.address} has ${nonce} transactions on the chain for ${submitted.length} requests`,
        );
      }
      for (const { id, hash } of submitted) {
        const request = await rig.find(id);
        const receipt = await rig.chain.getTransactionReceipt({ hash: hash as `0x${string}` });
        if (receipt.status !== "success" || request.blockNumber !== Number(receipt.blockNumber)) {
          found.push(
            `${id} is in block ${request.blockNumber} by the service, and by the chain ${receipt.status} in ${receipt.blockNumber}`,
          );
        }
        const states = (await historyOf(rig.pool, id)).map(({ state }) => state);
        if (states.some((state, index) => state === states[index - 1]))
          found.push(`${id}: ${states.join()} has a state twice`);
        if (states.some((state) => state.startsWith("Revoked")))
          found.push(`${id}: ${states.join()} was revoked`);
      }
    }
    return found;
  }

  /** What a person needs to understand a failure. */
  async function evidence(): Promise<string> {
    const { rows } = await rig.pool.query(
      `select request.id, request.given_up_reason, sent.nonce, sent.accepted_at, sent.failures, sent.next_attempt_at,
         sent.last_problem, array(
           select state from service.history where request_id = request.id order by ordinal) as states
       from service.requests request left join service.transactions sent on sent.request_id = request.id
       where not request.settled order by request.author, sent.nonce`,
    );
    const facts = [await readIndexPosition(rig.pool), ...rows].map((row) => JSON.stringify(row));
    return [...api.trouble(), ...indexer.trouble(), ...facts].join("\n");
  }

  return {
    rig,
    url: `http://127.0.0.1:${port}`,
    api,
    indexer,
    evidence,
    call,
    persist,
    prepare,
    handIn,
    problems,
    /** One of eight accounts that have sent nothing yet. */
    customer: (index: number): Customer => ({
      account: mnemonicToAccount(phrase, { addressIndex: 1 + index }),
      submitted: [],
    }),
    /** Mines until the service calls all of it Confirmed. */
    untilConfirmed: (customers: readonly Customer[]) =>
      eventually(
        "everything confirmed",
        async () => {
          await rig.mine();
          await sleep(50);
          const ids = customers.flatMap(({ submitted }) => submitted.map(({ id }) => id));
          const states = await Promise.all(ids.map((id) => rig.stateOf(id)));
          return states.map(({ state }) => state).filter((state) => state !== "Confirmed");
        },
        (open) => open.length === 0,
        patience,
      ),
    async stop() {
      await Promise.all([api.kill(), indexer.kill()]);
      await rig.stop();
    },
  };
}
