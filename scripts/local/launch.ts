import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";

import { type Config, publicUrl } from "../../config.ts";
import { openLog } from "../terminal/log.ts";
import type { Progress } from "../terminal/progress.ts";
import { startChain } from "./chain.ts";
import type { Closers } from "./closers.ts";
import { devAccounts } from "./dev-accounts.ts";
import { startIdentityProvider } from "./identity-provider.ts";
import { type Plan, StartError } from "./plan.ts";
import { runToEnd } from "./process.ts";
import { reachable, untilReady } from "./readiness.ts";
import { chainIdOf, type Registry } from "./registry.ts";
import { type Supervised, supervise } from "./supervisor.ts";
import type { Service } from "./welcome.ts";

const BLOCK_TIME = 2;
const DEPLOYER = 9;

export type LaunchContext = {
  config: Config;
  plan: Plan;
  progress: Progress;
  closers: Closers;
  /** Aborted when the start is given up. */
  signal: AbortSignal;
  /** Something without which the service cannot go on has ended. */
  fail: (reason: string) => void;
};

/** Starts every part in its order, what can be at the same time, and answers when the service is ready. */
export async function launch(context: LaunchContext): Promise<Service> {
  const { config, plan } = context;
  const [databaseUrl, { rpcUrls, registry }, issuers] = await Promise.all([
    startDatabase(context),
    startChainAndRegistry(context),
    startProvider(context),
    prepareConsole(context),
  ]);
  // Production has keys of its own.
  const apiKey = config.NODE_ENV === "production" ? undefined : randomBytes(32).toString("base64url");
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    RPC_URL: rpcUrls.join(","),
    REGISTRY_ADDRESS: registry.address,
    START_BLOCK: String(Math.max(config.START_BLOCK, registry.deployedAt ?? 0)),
    OIDC_ISSUER: issuers.join(","),
    // The local parts are known to the console by themselves.
    ...(plan.localProvider && { OIDC_CLIENT_ID: config.OIDC_AUDIENCE[0] }),
    ...(plan.localChain && {
      CHAIN_NAME: config.CHAIN_NAME ?? "Local chain",
      CHAIN_RPC_URL: config.CHAIN_RPC_URL ?? rpcUrls[0],
    }),
    API_KEYS: [process.env["API_KEYS"]?.trim(), apiKey && `demo:${apiKey}`].filter(Boolean).join(","),
  };
  await startServices(context, environment);
  return {
    url: reachable(publicUrl(config)),
    registry: registry.address,
    chainId: registry.chainId,
    rpcUrl: rpcUrls[0] ?? "",
    ...(plan.localDatabase && { databaseUrl }),
    issuer: issuers[0] ?? "",
    audience: config.OIDC_AUDIENCE[0] ?? "",
    ...(apiKey && { apiKey }),
    accounts: plan.localChain ? devAccounts.slice(0, DEPLOYER) : [],
  };
}

function logOf({ config, plan, progress, closers }: LaunchContext, name: string) {
  const leastLevel = config.LOG_LEVEL === "debug" ? 0 : undefined;
  const log = openLog(name, join(plan.dataDir, "logs", `${name}.log`), progress.say, leastLevel);
  void closers.add("", log.close);
  return log;
}

async function startDatabase(context: LaunchContext): Promise<string> {
  const { config, plan, progress, closers, signal, fail } = context;
  const url = config.DATABASE_URL ?? (await progress.step("database", () => startLocalDatabase(context)));
  signal.throwIfAborted();
  const log = logOf(context, "migrate");
  const environment = { ...process.env, DATABASE_URL: url };
  await progress.step(
    "schema",
    () =>
      runToEnd({ script: "scripts/migrate.ts", environment, log, signal }).catch((error: Error) => {
        throw new StartError(`The database cannot be used: ${error.message}`);
      }),
    () => "schema up to date",
  );
  return url;

  async function startLocalDatabase({ progress: { say } }: LaunchContext): Promise<string> {
    const { startPostgres } = await import("./postgres/server.ts");
    const dataDir = join(plan.dataDir, "postgres");
    const logFile = join(plan.dataDir, "logs", "postgres.log");
    rmSync(logFile, { force: true });
    const postgres = await startPostgres({ dataDir, logFile, empty: plan.emptyDatabase });
    await closers.add("database", postgres.stop);
    void postgres.ended.then(() => fail(`The database ended unexpectedly. See ${logFile}`));
    if (postgres.folder !== dataDir && !plan.emptyDatabase) {
      say(
        `The database is kept in ${postgres.folder}: PostgreSQL does not run as root, and ${plan.dataDir} is`,
      );
      say("closed to other users. Set DATA_DIR to a folder that is open to them to keep it there.");
    }
    return postgres.url;
  }
}

async function startChainAndRegistry(
  context: LaunchContext,
): Promise<{ rpcUrls: string[]; registry: Registry }> {
  const { config, progress, closers, fail } = context;
  if (config.RPC_URL !== undefined) {
    const [rpcUrl = ""] = config.RPC_URL;
    if (config.REGISTRY_ADDRESS !== undefined) {
      const registry = { address: config.REGISTRY_ADDRESS, chainId: await chainIdOf(rpcUrl) };
      return { rpcUrls: config.RPC_URL, registry };
    }
    await compile(context);
    // Costs nothing where an earlier start, or anybody else, has deployed the same registry to this chain.
    const registry = await deploy(context, rpcUrl, config.DEPLOYER_KEY ?? "");
    progress.say(
      `The registry is ${registry.address}, since block ${registry.deployedAt} of chain ${registry.chainId}: ` +
        "elsewhere set REGISTRY_ADDRESS and START_BLOCK to these.",
    );
    return { rpcUrls: config.RPC_URL, registry };
  }
  const log = logOf(context, "chain");
  const [chain] = await Promise.all([
    progress.step("local chain", async () => {
      const started = await startChain({ port: config.CHAIN_PORT, blockTime: BLOCK_TIME, log });
      await closers.add("local chain", started.stop);
      void started.ended.then(() => fail(`The local chain ended unexpectedly. See ${log.file}`));
      return started;
    }),
    compile(context),
  ]);
  // Never the person's own key: it has no funds here, and this chain is no place for it.
  const registry = await deploy(context, chain.url, devAccounts[DEPLOYER]?.privateKey ?? "");
  return { rpcUrls: [chain.url], registry };
}

async function compile(context: LaunchContext): Promise<void> {
  const log = logOf(context, "build");
  const build = () =>
    runToEnd({
      script: "scripts/build.ts",
      args: ["--no-tests", "--no-console"],
      log,
      signal: context.signal,
    });
  await context.progress.step("contracts", build, () => "contracts compiled");
}

async function deploy(
  { progress, signal }: LaunchContext,
  rpcUrl: string,
  deployerKey: string,
): Promise<Registry> {
  signal.throwIfAborted();
  const [{ deployRegistry }, { DEPLOYMENTS }] = await Promise.all([
    import("../contracts/deploy-registry.ts"),
    import("../deployment/record.ts"),
  ]);
  const deployed = await progress.step(
    "registry",
    () => deployRegistry({ rpcUrl, deployerKey, record: DEPLOYMENTS }),
    () => "registry deployed",
  );
  return { address: deployed.registry, chainId: deployed.chainId, deployedAt: deployed.blockNumber };
}

/** A console that cannot be built is no reason to have no service: its pages then say what is missing. */
async function prepareConsole({ progress }: LaunchContext): Promise<void> {
  const { buildConsole, canBuildConsole } = await import("../console/build-console.ts");
  if (!canBuildConsole()) return;
  try {
    await progress.step("console", buildConsole, (outcome) => `console ${outcome}`);
  } catch (error) {
    progress.say(`The web console could not be built: ${error instanceof Error ? error.message : error}`);
  }
}

async function startProvider({ config, progress, closers }: LaunchContext): Promise<string[]> {
  if (config.OIDC_ISSUER !== undefined) return config.OIDC_ISSUER;
  return await progress.step("identity provider", async () => {
    const [audience = ""] = config.OIDC_AUDIENCE;
    const provider = await startIdentityProvider({
      port: config.OIDC_PORT,
      audience,
      publicUrl: publicUrl(config),
    });
    await closers.add("identity provider", provider.stop);
    return [provider.issuer];
  });
}

async function startServices(context: LaunchContext, environment: NodeJS.ProcessEnv): Promise<void> {
  const { config, progress, closers, signal, fail } = context;
  signal.throwIfAborted();
  const services: Supervised[] = [];
  for (const [name, script] of [
    ["indexer", "indexer/main.ts"],
    ["API", "api/main.ts"],
  ] as const) {
    const log = logOf(context, name.toLowerCase());
    // The relayer's key is for the indexer alone.
    const { RELAYER_KEY: _, ...withoutKey } = environment;
    const own = name === "indexer" ? environment : withoutKey;
    const service = supervise({ name, script, environment: own, log, say: progress.say, onHopeless: fail });
    await closers.add(name, service.stop);
    services.push(service);
  }
  await progress.step(
    "service",
    () => untilReady(config, progress.say, signal),
    () => "service caught up with the chain",
  );
  for (const service of services) service.markReady();
}
