import { setTimeout as sleep } from "node:timers/promises";
import { formatEther } from "viem";
import { trustedIssuers } from "../config.ts";
import { waitForDatabase } from "../db/core/start.ts";
import { readIndexPosition } from "../db/reads/index-position.ts";
import { readRelayer } from "../db/service/relays/relayer.ts";
import { backOff } from "../domain/back-off.ts";
import { misplacedRegistry } from "../domain/registry/place.ts";
import { relayerProblem } from "../domain/relayer/problem.ts";
import packageJson from "../package.json" with { type: "json" };
import { discoverKeys } from "./auth/oidc-discovery.ts";
import type { ApiConfig, Dependencies } from "./operation/dependencies.ts";

/** A wrong setting; the message is one sentence. */
export class WrongSettingError extends Error {
  override readonly name = "WrongSettingError";
}

/**
 * Checks and logs database, chain, registry, relayer and identity provider, a line each, and waits for unreachable ones.
 * Requests are served meanwhile.
 * @throws WrongSettingError or DatabaseRefusedError where waiting does not help
 */
export async function checkStart(
  services: Dependencies,
  config: ApiConfig,
  signal: AbortSignal,
): Promise<void> {
  const { log } = services;
  log.info(
    { version: packageJson.version, node: process.version, production: config.NODE_ENV === "production" },
    "API starting",
  );
  await Promise.all([
    checkDatabase(services, config, signal).then(() => checkChain(services, signal)),
    ...trustedIssuers(config).map(({ issuer, audience }) =>
      checkIssuer(services, { issuer, audience }, signal),
    ),
  ]);
}

async function checkDatabase(
  { pool, log }: Dependencies,
  config: ApiConfig,
  signal: AbortSignal,
): Promise<void> {
  const found = await waitForDatabase(pool, {
    databaseUrl: config.DATABASE_URL,
    part: "api",
    signal,
    onWaiting: (problem) => log.warn({ err: { message: problem } }, "waiting for the database"),
  });
  if (found === undefined) return;
  const { newer, ...facts } = found;
  log.info(facts, "database checked");
  if (newer.length > 0) {
    log.warn({ migrations: newer }, "database schema is newer than this version: upgrade it");
  }
  const relayer = await readRelayer(pool).catch(() => undefined);
  if (relayer === undefined) return log.info({ relayer: null }, "no relayer on this database");
  const { address, balance } = relayer;
  const problem = relayerProblem(relayer);
  const err = problem === undefined ? undefined : { message: problem };
  log.info({ relayer: address, balance: formatEther(balance), err }, "relayer enabled");
}

async function checkChain(
  { pool, chain, registryAddress, log }: Dependencies,
  signal: AbortSignal,
): Promise<void> {
  const found = await untilAnswered("the node", { log, signal }, async () => {
    const [chainId, code] = await Promise.all([chain.chainId(), chain.codeAt(registryAddress, "latest")]);
    return {
      chainId,
      code,
      client: (await chain.clientVersion()) ?? null,
      position: await readIndexPosition(pool),
    };
  });
  if (found === undefined) return;
  const { chainId, code, client, position } = found;
  const wrong = misplacedRegistry({ chainId, head: undefined, code, registry: registryAddress }, position);
  if (wrong !== undefined) throw new WrongSettingError(wrong);
  log.info({ chainId, client }, "chain checked");
  log.info({ registry: registryAddress, indexed: position?.blockNumber ?? null }, "registry checked");
}

async function checkIssuer(
  { log }: Dependencies,
  { issuer, audience }: { issuer: string; audience: string },
  signal: AbortSignal,
): Promise<void> {
  // Callers with an API key need no provider, so its failure is not fatal.
  const found = await untilAnswered(`the identity provider ${issuer}`, { log, signal }, discoverKeys(issuer));
  if (found !== undefined) log.info({ issuer, audience }, "identity provider checked");
}

async function untilAnswered<Answer>(
  what: string,
  { log, signal }: Pick<Dependencies, "log"> & { signal: AbortSignal },
  ask: () => Promise<Answer>,
): Promise<Answer | undefined> {
  let logged: string | undefined;
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      return await ask();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== logged && !signal.aborted) log.warn({ err: { message } }, `waiting for ${what}`);
      logged = message;
      await sleep(Math.max(1, backOff(failures)) * 1000, undefined, { signal }).catch(() => undefined);
    }
  }
  return undefined;
}
