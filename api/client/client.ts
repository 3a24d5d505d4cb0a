import type { z } from "zod";
import type { Envelope } from "../../domain/envelope.ts";
import type { assetAnswer, creation } from "../assets/schema.ts";
import type { statusAnswer } from "../assets/state-schema.ts";
import type { inboxAnswer } from "../inbox/schema.ts";
import type { linkChangeAnswer, linkSetAnswer } from "../links/schema.ts";
import type { indexStatusAnswer } from "../service/schema.ts";
import type {
  refusalAnswer,
  submission,
  submissionAnswer,
  transactionAnswer,
  transactionStatusAnswer,
} from "../transactions/schema.ts";
import type {
  initialisationAnswer,
  walletAnswer,
  walletConfirmation,
  walletLabels,
} from "../wallets/schema.ts";
import { type CallOptions, type ConnectionOptions, connect } from "./connection.ts";
import { pathPart } from "./request.ts";
import { createStateSweep } from "./sweep.ts";
import { createWaiting } from "./waiting.ts";

export type { CallOptions, ConnectionOptions } from "./connection.ts";
export { ArgumentError, ConnectionError, RegistryError, StateError } from "./errors.ts";
export type { WaitOptions } from "./waiting.ts";

export type Asset = z.output<typeof assetAnswer>;
export type AssetCreation = z.input<typeof creation>;
export type AssetStatus = z.output<typeof statusAnswer>;
export type LinkChange = z.output<typeof linkChangeAnswer>;
export type LinkSet = z.output<typeof linkSetAnswer>;
export type InboxEntry = z.output<typeof inboxAnswer>[number];
export type Transaction = z.output<typeof transactionAnswer>;
/** How far a transaction is, without what is to be signed. */
export type TransactionStatus = z.output<typeof transactionStatusAnswer>;
export type ServiceStatus = z.output<typeof indexStatusAnswer>;
export type Submission = z.input<typeof submission>;
export type Wallet = z.output<typeof walletAnswer>;
export type WalletInitialisation = z.output<typeof initialisationAnswer>;

export type ListQuery = Record<string, string | number | null | undefined>;

export type RegistryClient = ReturnType<typeof createClient>;

/**
 * The API in TypeScript, for browsers and servers. A call throws RegistryError where the service refuses it,
 * ConnectionError where no answer arrives, and ArgumentError where it cannot be sent.
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

  const asset = (id: string) => `/assets/${pathPart(id)}`;
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

  const transaction = (id: string) => `/transactions/${pathPart(id)}`;

  // The sweep tries again by itself: what the service asks for then holds for all that wait.
  const untried = { retries: 0 };
  const waitForState = createWaiting(
    createStateSweep(async (ids, signal) => {
      const [first = "", ...others] = ids;
      const options = { ...untried, signal };
      if (others.length > 0) return await value("GET", `/transactions/status?ids=${ids}`, undefined, options);
      return [await value("GET", `${transaction(first)}/status`, undefined, options)];
    }),
  );

  return {
    createAsset: async (body: AssetCreation, options?: CallOptions) =>
      value<Asset>("POST", "/assets/", body, options),
    asset: async (id: string, options?: CallOptions) => value<Asset>("GET", asset(id), undefined, options),
    /** Each asset that the parameters of `GET /assets/` find. */
    assets: (query: ListQuery = {}, options?: CallOptions) => entries<Asset>("/assets/", query, options),
    assetStatus: async (id: string, options?: CallOptions) =>
      value<AssetStatus>("GET", `${asset(id)}/status`, undefined, options),
    link: async (id: string, targetAssetIds: readonly string[], options?: CallOptions) =>
      value<LinkChange>("POST", `${asset(id)}/links`, { targetAssetIds }, options),
    revokeLinks: async (id: string, targetAssetIds: readonly string[], options?: CallOptions) =>
      value<LinkChange>("PATCH", `${asset(id)}/links`, { targetAssetIds }, options),
    /** Every link that stands, however many pages they are. */
    links,

    /** Each request that the parameters of `GET /transactions/` find: what waits for a signature, and what ended. */
    transactions: (query: ListQuery = {}, options?: CallOptions) =>
      entries<InboxEntry>("/transactions/", query, options),
    transaction: async (id: string, options?: CallOptions) =>
      value<Transaction>("GET", transaction(id), undefined, options),
    submit: async (id: string, body: Submission, options?: CallOptions) =>
      value<z.output<typeof submissionAnswer>>("POST", `${transaction(id)}/submit`, body, options),
    refuse: async (id: string, signature: string, options?: CallOptions) =>
      value<z.output<typeof refusalAnswer>>("POST", `${transaction(id)}/revoke`, { signature }, options),
    transactionStatus: async (id: string, options?: CallOptions) =>
      await value<TransactionStatus>("GET", `${transaction(id)}/status`, undefined, options),
    /**
     * Waits until the transaction has come to a state, or past it. Waits of one client share their looks.
     * @throws StateError once the state cannot come any more, or when the time is over
     */
    waitForState,

    /** How far the index is, of which registry on which chain. */
    status: (options?: CallOptions) => value<ServiceStatus>("GET", "/status", undefined, options),

    wallets: (options?: CallOptions) => value<Wallet[]>("GET", "/wallets/", undefined, options),
    startWallet: async (body: z.input<typeof walletLabels> = {}, options?: CallOptions) =>
      value<WalletInitialisation>("POST", "/wallets/", body, options),
    confirmWallet: async (id: string, body: z.input<typeof walletConfirmation>, options?: CallOptions) =>
      value<Wallet>("POST", `/wallets/${pathPart(id)}/confirm`, body, options),
    removeWallet: async (id: string, options?: CallOptions) =>
      value<null>("DELETE", `/wallets/${pathPart(id)}`, undefined, options),
  };
}

function search(query: ListQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, one] of Object.entries(query)) if (one != null) parameters.set(name, String(one));
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}
