import { resolve } from "node:path";

import type { Config } from "../../config.ts";
import { isPortFree, LOCALHOST } from "./ports.ts";

/** Something that a person has to change before `npm start` can work; the message is all they are shown. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** Which parts `npm start` runs itself, and which it finds in the environment. */
export type Plan = {
  localDatabase: boolean;
  localChain: boolean;
  localProvider: boolean;
  /** Only a chain that forgets makes a database that holds nothing. */
  emptyDatabase: boolean;
  deploys: boolean;
  dataDir: string;
};

export function planOf(config: Config): Plan {
  const localDatabase = config.DATABASE_URL === undefined;
  const localChain = config.RPC_URL === undefined;
  const deploys = config.REGISTRY_ADDRESS === undefined;
  if (localChain && !deploys) {
    throw new StartError(
      "REGISTRY_ADDRESS is set and RPC_URL is not: a local chain begins empty and has no registry at that address.\n" +
        "Set RPC_URL too, or neither.",
    );
  }
  if (!localChain && deploys && config.DEPLOYER_KEY === undefined) {
    throw new StartError(
      "RPC_URL is set and REGISTRY_ADDRESS is not.\n" +
        "Set REGISTRY_ADDRESS to a registry on that chain, or DEPLOYER_KEY to deploy one there.",
    );
  }
  return {
    localDatabase,
    localChain,
    localProvider: config.OIDC_ISSUER === undefined,
    emptyDatabase: localDatabase && localChain,
    deploys,
    dataDir: resolve(config.DATA_DIR),
  };
}

/** @throws StartError naming each port that cannot be had and the variable that changes it */
export async function checkPorts(config: Config, plan: Plan): Promise<void> {
  const needed = [
    { variable: "PORT", port: config.PORT, host: config.HOST, user: "API" },
    ...(plan.localChain
      ? [{ variable: "CHAIN_PORT", port: config.CHAIN_PORT, host: LOCALHOST, user: "local chain" }]
      : []),
    ...(plan.localProvider
      ? [{ variable: "OIDC_PORT", port: config.OIDC_PORT, host: LOCALHOST, user: "identity provider" }]
      : []),
  ];
  const problems: string[] = [];
  for (const [index, { variable, port, host, user }] of needed.entries()) {
    const twin = needed.slice(0, index).find((other) => other.port === port);
    if (twin) problems.push(`${variable} and ${twin.variable} are both ${port}: give them different ports.`);
    else if (!(await isPortFree(port, host))) {
      problems.push(
        `Port ${port}, which the ${user} needs, is taken by another program. Set ${variable} to a free port.`,
      );
    }
  }
  if (problems.length > 0) throw new StartError(problems.join("\n"));
}
