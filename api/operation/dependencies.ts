import { join } from "node:path";
import type { Address } from "viem";
import { metricsTokenDigest } from "../../config/metrics-token.ts";
import { type Config, publicUrl, trustedIssuers } from "../../config.ts";
import type { Pool } from "../../db/core/pool.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import { interactive } from "../../rpc/client/policy.ts";
import { connectNode, type Node } from "../../rpc/node.ts";
import { createListTurns, type ListTurns } from "../assets/list-turns.ts";
import { createReads, type Reads } from "../assets/reads.ts";
import { createKeyRing, type KeyRing } from "../auth/api-keys.ts";
import { createIdentityVerifier, type IdentityVerifier } from "../auth/id-token.ts";
import { openWebConsole, type WebConsole } from "../console/web-console.ts";
import { type AddressRules, addressRules } from "../deliveries/addresses.ts";
import { createStreams, type Streams } from "../events/streams.ts";
import { createRateLimits, type RateLimits } from "../http/rate-limit/rate-limits.ts";
import type { Log } from "../http/request-log.ts";
import { createProver, type Prover } from "../proofs/prove.ts";
import { createFigures, type Figures } from "../service/metrics.ts";
import { createMonitor, type Monitor } from "../service/monitor.ts";
import { type ServedRegistry, servedRegistry } from "../service/registry.ts";
import { createOpenRequests, type OpenRequests } from "../transactions/open-requests.ts";

/** Dependencies of operations. */
export type Dependencies = {
  pool: Pool;
  log: Log;
  chain: Node;
  keys: KeyRing;
  identity: IdentityVerifier;
  figures: Figures;
  monitor: Monitor;
  /** SHA-256 of METRICS_TOKEN; undefined where it is not set. */
  metricsToken: Buffer | undefined;
  rateLimits: RateLimits;
  openRequests: OpenRequests;
  /** Addresses that receivers of webhooks may have. */
  webhookAddresses: AddressRules;
  /** Origins whose pages may call the API from a browser. */
  corsOrigins: readonly string[];
  reads: Reads;
  streams: Streams;
  listTurns: ListTurns;
  prove: Prover;
  webConsole: WebConsole;
  registryAddress: Address;
  registry: ServedRegistry;
  /** Public URL of the service, which is signed when a wallet is connected. */
  publicUrl: string;
  requestTtl: number;
  /** Longest validity of a gasless signature, in seconds. */
  signatureLifetime: number;
  pollInterval: number;
  confirmations: IndexPosition["confirmations"];
};

/** Required settings of the API. */
export const requiredSettings = ["DATABASE_URL", "RPC_URL", "REGISTRY_ADDRESS", "OIDC_ISSUER"] as const;
type Required = (typeof requiredSettings)[number];
export type ApiConfig = Config & { [Name in Required]: NonNullable<Config[Name]> };

/** Where `npm run build` leaves the console. */
const builtConsole = join(import.meta.dirname, "..", "..", "web", "dist");

/**
 * Creates the dependencies without connecting to node or identity provider.
 * @param consoleFolder the built console, which may be missing
 */
export function createDependencies(
  config: ApiConfig,
  pool: Pool,
  log: Log,
  monitor: Monitor = createMonitor(pool),
  consoleFolder = builtConsole,
): Dependencies {
  const chain = connectNode(config.RPC_URL, { policy: interactive });
  const registry = servedRegistry(pool, chain, config.REGISTRY_ADDRESS);
  const streams = createStreams({ tail: monitor.pool, pages: pool }, log, { most: config.MAX_STREAMS });
  return {
    pool,
    log,
    chain,
    keys: createKeyRing(pool, config.API_KEYS ?? [], log),
    identity: createIdentityVerifier(trustedIssuers(config)),
    figures: createFigures(monitor, streams.count),
    monitor,
    metricsToken: config.METRICS_TOKEN === undefined ? undefined : metricsTokenDigest(config.METRICS_TOKEN),
    rateLimits: createRateLimits(config, pool, log),
    openRequests: createOpenRequests(config.MAX_OPEN_REQUESTS),
    webhookAddresses: addressRules(config.WEBHOOK_ALLOW_NETWORKS),
    corsOrigins: config.CORS_ORIGINS ?? [],
    reads: createReads(pool),
    streams,
    listTurns: createListTurns(),
    prove: createProver(chain, registry),
    webConsole: openWebConsole(config, publicUrl(config), registry, consoleFolder),
    registryAddress: config.REGISTRY_ADDRESS,
    registry,
    publicUrl: publicUrl(config),
    requestTtl: config.REQUEST_TTL,
    signatureLifetime: config.SIGNATURE_TTL,
    pollInterval: config.POLL_INTERVAL,
    confirmations: config.CONFIRMATIONS,
  };
}
