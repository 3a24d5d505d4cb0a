import type { z } from "zod";
import type { Envelope } from "../../domain/envelope.ts";
import type { AssetState } from "../../domain/state.ts";
import type { assetAnswer, creation } from "../schemas/asset.ts";
import type { inboxAnswer } from "../schemas/inbox.ts";
import type { linkChangeAnswer, linkSetAnswer } from "../schemas/links.ts";
import type { indexStatusAnswer } from "../schemas/service.ts";
import type { statusAnswer } from "../schemas/state.ts";
import type {
  refusalAnswer,
  submission,
  submissionAnswer,
  transactionAnswer,
} from "../schemas/transaction.ts";
import type {
  initialisationAnswer,
  walletAnswer,
  walletConfirmation,
  walletLabels,
} from "../schemas/wallet.ts";
import { type CallOptions, type ConnectionOptions, connect } from "./connection.ts";
import { StateError } from "./errors.ts";
import { mayPass, pause } from "./retry.ts";

export type { CallOptions, ConnectionOptions } from "./connection.ts";
export { ConnectionError, RegistryError, StateError } from "./errors.ts";

export type Asset = z.output<typeof assetAnswer>;
export type AssetCreation = z.input<typeof creation>;
export type AssetStatus = z.output<typeof statusAnswer>;
export type LinkChange = z.output<typeof linkChangeAnswer>;
export type LinkSet = z.output<typeof linkSetAnswer>;
export type InboxEntry = z.output<typeof inboxAnswer>[number];
export type Transaction = z.output<typeof transactionAnswer>;
export type ServiceStatus = z.output<typeof indexStatusAnswer>;
export type Submission = z.input<typeof submission>;
export type Wallet = z.output<typeof walletAnswer>;
export type WalletInitialisation = z.output<typeof initialisationAnswer>;

export type ListQuery = Record<string, string | number | undefined>;
export type WaitOptions = CallOptions & {
  /** Milliseconds until it is given up; 300,000 unless given. */
  timeout?: number;
  /** Milliseconds between two looks; 1,000 unless given. */
  interval?: number;
};

export type RegistryClient = ReturnType<typeof createClient>;

/**
 * The API in TypeScript, for browsers and servers. A call throws RegistryError where the service refuses it,
 * and ConnectionError where no answer arrives.
 */
export function createClient(connection: ConnectionOptions) {
  const call = connect(connection);

  /** The value of an answer; its type is that of the operation's schema. */
  async function value<Value>(...args: Parameters<typeof call>): Promise<Value> {
    return (await call(...args)).value as Value;
  }

  /** Everything in a list, page after page; an entry that arrives meanwhile moves nothing. */
  async function* entries<Entry>(
    path: string,
    query: ListQuery,
    options?: CallOptions,
  ): AsyncGenerator<Entry> {
    let next: string | undefined;
    do {
      const page: Envelope = await call("GET", path + search({ ...query, cursor: next }), undefined, options);
      yield* page.value as Entry[];
      next = page.meta?.next;
    } while (next !== undefined);
  }

  const asset = (id: string) => `/assets/${encodeURIComponent(id)}`;
  async function links(id: string, options?: CallOptions): Promise<LinkSet> {
    const all: LinkSet = { from: [], to: [] };
    let next: string | undefined;
    do {
      const page: Envelope = await call(
        "GET",
        `${asset(id)}/links${search({ cursor: next })}`,
        undefined,
        options,
      );
      const { from, to } = page.value as LinkSet;
      all.from.push(...from);
      all.to.push(...to);
      next = page.meta?.next;
    } while (next !== undefined);
    return all;
  }

  const transaction = (id: string) => `/transactions/${encodeURIComponent(id)}`;

  /** @returns undefined while the service is in trouble that may pass */
  async function look(id: string, isLast: boolean, options: CallOptions): Promise<Transaction | undefined> {
    try {
      return await value<Transaction>("GET", transaction(id), undefined, options);
    } catch (error) {
      if (isLast || !mayPass(error)) throw error;
      return undefined;
    }
  }

  async function waitForState(
    id: string,
    goal: AssetState,
    { timeout = 300_000, interval = 1_000, ...options }: WaitOptions = {},
  ): Promise<Transaction> {
    const deadline = Date.now() + timeout;
    for (;;) {
      const isLast = Date.now() + interval > deadline;
      const found = await look(id, isLast, options);
      if (found !== undefined) {
        if (found.state === goal || (goal === "Committed" && found.state === "Confirmed")) return found;
        const { state, reason } = found;
        if (state.startsWith("Revoked")) throw new StateError(`It ended as ${state}.`, state, reason);
        if (isLast) throw new StateError(`It is still ${state}.`, state, reason);
      }
      await pause(interval, options.signal);
    }
  }

  return {
    createAsset: (body: AssetCreation, options?: CallOptions) =>
      value<Asset>("POST", "/assets/", body, options),
    asset: (id: string, options?: CallOptions) => value<Asset>("GET", asset(id), undefined, options),
    /** Each asset that the parameters of `GET /assets/` find. */
    assets: (query: ListQuery = {}, options?: CallOptions) => entries<Asset>("/assets/", query, options),
    assetStatus: (id: string, options?: CallOptions) =>
      value<AssetStatus>("GET", `${asset(id)}/status`, undefined, options),
    link: (id: string, targetAssetIds: readonly string[], options?: CallOptions) =>
      value<LinkChange>("POST", `${asset(id)}/links`, { targetAssetIds }, options),
    revokeLinks: (id: string, targetAssetIds: readonly string[], options?: CallOptions) =>
      value<LinkChange>("PATCH", `${asset(id)}/links`, { targetAssetIds }, options),
    /** Every link that stands, however many pages they are. */
    links,

    /** Each request that the parameters of `GET /transactions/` find: what waits for a signature, and what ended. */
    transactions: (query: ListQuery = {}, options?: CallOptions) =>
      entries<InboxEntry>("/transactions/", query, options),
    transaction: (id: string, options?: CallOptions) =>
      value<Transaction>("GET", transaction(id), undefined, options),
    submit: (id: string, body: Submission, options?: CallOptions) =>
      value<z.output<typeof submissionAnswer>>("POST", `${transaction(id)}/submit`, body, options),
    refuse: (id: string, signature: string, options?: CallOptions) =>
      value<z.output<typeof refusalAnswer>>("POST", `${transaction(id)}/revoke`, { signature }, options),
    /** @throws StateError once the transaction was given up, or when the time is over */
    waitForState,

    /** How far the index is, of which registry on which chain. */
    status: (options?: CallOptions) => value<ServiceStatus>("GET", "/status", undefined, options),

    wallets: (options?: CallOptions) => value<Wallet[]>("GET", "/wallets/", undefined, options),
    startWallet: (body: z.input<typeof walletLabels> = {}, options?: CallOptions) =>
      value<WalletInitialisation>("POST", "/wallets/", body, options),
    confirmWallet: (id: string, body: z.input<typeof walletConfirmation>, options?: CallOptions) =>
      value<Wallet>("POST", `/wallets/${encodeURIComponent(id)}/confirm`, body, options),
    removeWallet: (id: string, options?: CallOptions) =>
      value<null>("DELETE", `/wallets/${encodeURIComponent(id)}`, undefined, options),
  };
}

function search(query: ListQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, one] of Object.entries(query)) if (one !== undefined) parameters.set(name, String(one));
  return parameters.size === 0 ? "" : `?${parameters}`;
}
