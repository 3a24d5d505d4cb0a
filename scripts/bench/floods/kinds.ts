import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { concat, encodeFunctionData, type Hex, numberToHex, type TypedDataDefinition, toHex } from "viem";
import { limits } from "../../../domain/limits.ts";
import { registryAbi } from "../../../domain/registry/abi.ts";
import { other, third } from "../../../test/support/chain/accounts.ts";
import { deployContractWallet } from "../../../test/support/chain/contract-wallet.ts";
import { developerLogin } from "../../local/developer-login.ts";
import { createCaller } from "../caller.ts";
import type { WholeService } from "../whole-service.ts";

/** Where a flood goes, and the API key of the tenant that makes it. */
export type FloodPlace = WholeService & { issuer: string; key: string };
type Running = (signal: AbortSignal, count: (what: string) => void) => Promise<void>;
/** Prepares a flood. @returns what floods until the signal aborts, counting its calls by their answers */
export type Flood = (place: FloodPlace) => Promise<Running>;

type Request = { method: string; path: string; headers?: Record<string, string>; body?: string };

/** Sends over so many connections, and at most so many calls a second, what the next one is. */
function calls(apiUrl: string, connections: number, perSecond: number, next: () => Request): Running {
  return async (signal, count) => {
    const { ask, close } = createCaller(connections);
    const begin = performance.now();
    let sent = 0;
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (!signal.aborted) {
          const due = begin + (sent * 1000) / perSecond - performance.now();
          sent += 1;
          if (due > 0) await sleep(due);
          const { method, path, headers = {}, body } = next();
          await ask(method, apiUrl + path, headers, body).then(
            ({ status }) => count(String(status)),
            () => count("closed"),
          );
        }
      }),
    );
    close();
  };
}

async function post(place: FloodPlace, path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { "X-API-KEY": place.key, "Content-Type": "application/json" };
  const response = await fetch(place.apiUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
  const { value, error } = (await response.json()) as { value: Record<string, unknown>; error?: object };
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${JSON.stringify(error)}`);
  return value;
}

const create = (place: FloodPlace, author: string = other.address) =>
  post(place, "/assets/", { name: "Flood", author }) as Promise<{ id: Hex; transactionId: string }>;

async function inDatabase(place: FloodPlace, sql: string, values: unknown[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  return await client.query(sql, values).finally(() => client.end());
}

export const floods: Record<string, Flood> = {
  /** Nobody's key, and a Content-Type that is as long as headers may be. */
  headers: async ({ apiUrl }) => {
    const headers = { "content-type": `application/json${" ".repeat(31_000)}x` };
    return calls(apiUrl, 50, 200, () => ({ method: "POST", path: "/assets/", headers, body: "{}" }));
  },

  /** Hashes of transactions that there are not, for one request. */
  "reported hashes": async (place) => {
    const { transactionId } = await create(place);
    const path = `/transactions/${transactionId}/submit`;
    const headers = { "x-api-key": place.key, "content-type": "application/json" };
    return calls(place.apiUrl, 20, 100, () => ({
      method: "POST",
      path,
      headers,
      body: JSON.stringify({ transactionHash: toHex(randomBytes(32)) }),
    }));
  },

  /** Wallet connections that one user begins and never completes. */
  wallets: async ({ apiUrl, issuer }) => {
    const token = await developerLogin(issuer, "asset-registry", "flood");
    const headers = { authorization: `Bearer ${token}` };
    return calls(apiUrl, 20, 100, () => ({ method: "POST", path: "/wallets/", headers }));
  },

  /** A hundred thousand requests of a tenant that expire together. */
  expiries: async (place) => {
    const { transactionId } = await create(place);
    await inDatabase(
      place,
      `insert into service.requests (id, tenant, kind, author, asset_id, chain_id, registry, calldata, salt, details,
         content_hash, expires_at, name_key)
       select gen_random_uuid(), 'expiring', kind, author, sha256(number::text::bytea), chain_id, registry, calldata, salt,
         details, content_hash, now() + interval '2 s', name_key
       from service.requests, generate_series(1, 100000) number where id = $1`,
      [transactionId],
    );
    // Autovacuum has seen a table that grew to this size by requests; plans for a small one would read all of it.
    await inDatabase(place, "analyze service.requests");
    const waiting = "select 1 from service.requests where tenant = 'expiring' and not settled limit 1";
    return async (signal) => {
      // What is left would slow down the measurement of the next flood.
      while (!signal.aborted || (await inDatabase(place, waiting)).rowCount !== 0) await sleep(200);
    };
  },

  /** Metrics requested over four hundred connections. */
  metrics: async ({ apiUrl }) => calls(apiUrl, 400, 1_000, () => ({ method: "GET", path: "/metrics" })),

  /** Lists of assets whose texts are as long as the registry takes. */
  "large assets": async (place) => {
    const details = { fileName: "", fileType: "", fileSize: "", method: "", hash: "", uri: "" };
    const name = "\u0001".repeat(limits.text.name);
    const data = "\u0001".repeat(limits.text.data);
    for (let made = 0; made < 50; made += 1) {
      const args = [toHex(randomBytes(32)), { ...details, name, data }] as const;
      const call = encodeFunctionData({ abi: registryAbi, functionName: "createAsset", args });
      const transaction = {
        from: third.address,
        to: place.registry.address,
        data: call,
        gas: numberToHex(16_000_000),
      };
      await place.anvil.rpc("eth_sendTransaction", [transaction]);
    }
    await sleep(10_000);
    const headers = { "x-api-key": place.key };
    return calls(place.apiUrl, 8, 50, () => ({ method: "GET", path: "/assets/?size=50", headers }));
  },

  /** Gasless signatures of a contract wallet that takes all gas when the node estimates. */
  relays: async (place) => {
    const wallet = await deployContractWallet(place.anvil, [other.address, third.address]);
    for (let made = 0; made < 150; made += 1) {
      const { transactionId } = await create(place, wallet.address);
      const answer = await fetch(`${place.apiUrl}/transactions/${transactionId}`);
      const { value } = (await answer.json()) as { value: { gasless: TypedDataDefinition } };
      const { EIP712Domain: _, ...types } = value.gasless.types ?? {};
      const typed = { ...value.gasless, types } as TypedDataDefinition;
      const signature = concat([await other.signTypedData(typed), await third.signTypedData(typed)]);
      await post(place, `/transactions/${transactionId}/submit`, { signature });
    }
    await wallet.answerFromNowOn("Loops");
    return async (signal) => {
      while (!signal.aborted) await sleep(200);
    };
  },
};
