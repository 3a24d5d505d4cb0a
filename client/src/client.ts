import { type Call, connect } from "./call.ts";
import { createFollow } from "./events/follow.ts";
import { readEventPages } from "./events/pages.ts";
import { checkAfter, type EventListQuery, eventParameters } from "./events/query.ts";
import type { CallOptions, ConnectionOptions } from "./options.ts";
import { type ListQuery, readPages } from "./pages.ts";
import { pathPart } from "./request.ts";
import { createStatusPoller } from "./status-poller.ts";
import type { Asset, AssetCreation, AssetStatus } from "./types/asset.ts";
import type { RegistryEvent } from "./types/event.ts";
import type { LinkChange, LinkSet } from "./types/links.ts";
import type { Proof } from "./types/proof.ts";
import type { PublicAsset, PublicLinks, PublicQuery } from "./types/public.ts";
import type { ServiceStatus } from "./types/service-status.ts";
import type {
  InboxEntry,
  RefusalOutcome,
  Submission,
  SubmissionOutcome,
  Transaction,
  TransactionStatus,
} from "./types/transaction.ts";
import type { Wallet, WalletConfirmation, WalletInitialisation, WalletLabels } from "./types/wallet.ts";
import { createWaitForState } from "./wait-for-state.ts";
import { createWebhooks } from "./webhooks/webhooks.ts";

export { ArgumentError, ConnectionError, RegistryError, StateError, WebhookError } from "./errors.ts";
export type { EventConnection, FollowOptions } from "./events/follow.ts";
export type { EventListQuery, EventQuery } from "./events/query.ts";
export type { CallOptions, ConnectionOptions, WaitOptions } from "./options.ts";
export type { ListQuery } from "./pages.ts";
export type { Asset, AssetCreation, AssetStatus } from "./types/asset.ts";
export type { ErrorDetail } from "./types/envelope.ts";
export type { ErrorCode } from "./types/error-code.ts";
export type {
  AssetEvent,
  EventGroup,
  EventKind,
  LinkEvent,
  RegistryEvent,
  RequestEvent,
  WalletEvent,
} from "./types/event.ts";
export type { LinkChange, LinkSet } from "./types/links.ts";
export type { Proof } from "./types/proof.ts";
export type { PublicAsset, PublicLink, PublicLinks, PublicQuery } from "./types/public.ts";
export type { ServiceStatus } from "./types/service-status.ts";
export type { AssetState } from "./types/state.ts";
export type {
  InboxEntry,
  RefusalOutcome,
  Submission,
  SubmissionOutcome,
  Transaction,
  TransactionStatus,
  TypedData,
} from "./types/transaction.ts";
export type { Wallet, WalletConfirmation, WalletInitialisation, WalletLabels } from "./types/wallet.ts";
export type {
  Delivery,
  DeliveryAttempt,
  Webhook,
  WebhookChange,
  WebhookCreation,
  WebhookTest,
  WebhookWithSecret,
} from "./types/webhook.ts";
export { verifyWebhook, type WebhookDelivery } from "./webhooks/verify.ts";
export type { DeliveryQuery } from "./webhooks/webhooks.ts";

export type RegistryClient = ReturnType<typeof createClient>;

type BothDirections<Link> = { from: Link[]; to: Link[] };

const assetPath = (id: string) => `/assets/${pathPart(id)}`;
const publicPath = (id: string) => `/public/assets/${pathPart(id)}`;
const proofPath = (asset: string, children: readonly string[]) =>
  `${asset}/proof${children.length === 0 ? "" : `?links=${children.map(pathPart)}`}`;
const transactionPath = (id: string) => `/transactions/${pathPart(id)}`;

/**
 * The REST API in TypeScript; its calls throw RegistryError for a refusal, ConnectionError where no answer arrived, and
 * ArgumentError where nothing could be sent.
 */
export function createClient(connection: ConnectionOptions) {
  const call = connect(connection);

  /** The value of an answer, whose type the service keeps to. */
  async function value<Value>(...args: Parameters<Call>): Promise<Value> {
    return (await call(...args)).value as Value;
  }

  async function* pages<Page>(path: string, query: ListQuery, options?: CallOptions): AsyncGenerator<Page> {
    for await (const page of readPages(call, path, query, options)) yield page.value as Page;
  }

  async function* entries<Entry>(
    path: string,
    query: ListQuery,
    options?: CallOptions,
  ): AsyncGenerator<Entry> {
    for await (const page of pages<Entry[]>(path, query, options)) yield* page;
  }

  /** The links of both directions, from all pages. */
  async function everyLink<Link>(path: string, options?: CallOptions): Promise<BothDirections<Link>> {
    const all: BothDirections<Link> = { from: [], to: [] };
    for await (const { from, to } of pages<BothDirections<Link>>(path, {}, options)) {
      all.from.push(...from);
      all.to.push(...to);
    }
    return all;
  }

  async function* listEvents(
    query: EventListQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<RegistryEvent> {
    const { after, size } = query;
    checkAfter(after);
    for await (const page of readEventPages(call, { ...eventParameters(query), size }, after, options)) {
      yield* page.events;
    }
  }

  // The poller retries by itself, so that a Retry-After holds for all that wait.
  const waitForState = createWaitForState(
    createStatusPoller(async (ids, signal) => {
      const [first = "", ...others] = ids;
      const options = { retries: 0, signal };
      if (others.length > 0) return await value("GET", `/transactions/status?ids=${ids}`, undefined, options);
      return [await value("GET", `${transactionPath(first)}/status`, undefined, options)];
    }),
  );

  return {
    createAsset: async (body: AssetCreation, options?: CallOptions) =>
      value<Asset>("POST", "/assets/", body, options),
    asset: async (id: string, options?: CallOptions) =>
      value<Asset>("GET", assetPath(id), undefined, options),
    /** Every asset that the parameters of `GET /assets/` find. */
    assets: (query: ListQuery = {}, options?: CallOptions) => entries<Asset>("/assets/", query, options),
    assetStatus: async (id: string, options?: CallOptions) =>
      value<AssetStatus>("GET", `${assetPath(id)}/status`, undefined, options),
    link: async (id: string, targetAssetIds: readonly string[], options?: CallOptions) =>
      value<LinkChange>("POST", `${assetPath(id)}/links`, { targetAssetIds }, options),
    revokeLinks: async (id: string, targetAssetIds: readonly string[], options?: CallOptions) =>
      value<LinkChange>("PATCH", `${assetPath(id)}/links`, { targetAssetIds }, options),
    /** Every link that stands, from all pages. */
    links: async (id: string, options?: CallOptions): Promise<LinkSet> =>
      everyLink(`${assetPath(id)}/links`, options),

    /** A proof of an asset, and of its links to these children, that is checked without the service. */
    proof: async (id: string, children: readonly string[] = [], options?: CallOptions) =>
      value<Proof>("GET", proofPath(assetPath(id), children), undefined, options),

    /** What the chain says of an asset; like the next four it needs no credential. */
    publicAsset: async (id: string, options?: CallOptions) =>
      value<PublicAsset>("GET", publicPath(id), undefined, options),
    /** Every asset of the chain that a search finds, the newest first. */
    publicAssets: (query: PublicQuery = {}, options?: CallOptions) =>
      entries<PublicAsset>("/public/assets/", query, options),
    /** Every link that stands or was revoked, from all pages. */
    publicLinks: async (id: string, options?: CallOptions): Promise<PublicLinks> =>
      everyLink(`${publicPath(id)}/links`, options),
    /** The same links page by page, for whoever shows them before all are read; `size` counts each direction. */
    publicLinkPages: (id: string, query: { size?: number | undefined } = {}, options?: CallOptions) =>
      pages<PublicLinks>(`${publicPath(id)}/links`, query, options),
    publicProof: async (id: string, children: readonly string[] = [], options?: CallOptions) =>
      value<Proof>("GET", proofPath(publicPath(id), children), undefined, options),

    /** Every request that the parameters of `GET /transactions/` find, open and ended ones. */
    transactions: (query: ListQuery = {}, options?: CallOptions) =>
      entries<InboxEntry>("/transactions/", query, options),
    transaction: async (id: string, options?: CallOptions) =>
      value<Transaction>("GET", transactionPath(id), undefined, options),
    submit: async (id: string, body: Submission, options?: CallOptions) =>
      value<SubmissionOutcome>("POST", `${transactionPath(id)}/submit`, body, options),
    refuse: async (id: string, signature: string, options?: CallOptions) =>
      value<RefusalOutcome>("POST", `${transactionPath(id)}/revoke`, { signature }, options),
    transactionStatus: async (id: string, options?: CallOptions) =>
      value<TransactionStatus>("GET", `${transactionPath(id)}/status`, undefined, options),
    /**
     * Waits until the transaction has reached a state or passed it; all waits of one client share their polls.
     * @throws StateError when the state can no longer come, or at the timeout
     */
    waitForState,

    /**
     * Events as they happen, each once and in order, without end: reconnects, resumes after the last one, and polls where
     * no stream comes through. To continue in a later run, store the `sequence` of the last event that was processed, and
     * give it as `after`. Leaving the loop closes the connection.
     * @throws RegistryError EVENTS_GONE where events after that position have been removed already, EVENT_AHEAD where it
     * is of another log
     */
    events: createFollow(connection, call),
    /** The events that the log holds now, after a position or from the oldest that is kept. */
    listEvents,

    /** Receivers to which the service sends events. */
    webhooks: createWebhooks(call),

    /** How far the index is, of which registry on which chain. */
    status: (options?: CallOptions) => value<ServiceStatus>("GET", "/status", undefined, options),

    wallets: (options?: CallOptions) => value<Wallet[]>("GET", "/wallets/", undefined, options),
    startWallet: async (body: WalletLabels = {}, options?: CallOptions) =>
      value<WalletInitialisation>("POST", "/wallets/", body, options),
    confirmWallet: async (id: string, body: WalletConfirmation, options?: CallOptions) =>
      value<Wallet>("POST", `/wallets/${pathPart(id)}/confirm`, body, options),
    removeWallet: async (id: string, options?: CallOptions) =>
      value<null>("DELETE", `/wallets/${pathPart(id)}`, undefined, options),
  };
}
