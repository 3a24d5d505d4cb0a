import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { DevAccount } from "./dev-accounts.ts";

/** Addresses and credentials of a running service. */
export type Service = {
  url: string;
  registry: string;
  chainId: number;
  rpcUrl: string;
  /** Of the embedded database, password included; another one is in DATABASE_URL. */
  databaseUrl?: string;
  issuer: string;
  audience: string;
  /** Of the tenant `demo`; none in production. */
  apiKey?: string;
  /** With funds, on the local chain only. */
  accounts: readonly DevAccount[];
};

/** Leaves what the other scripts need to reach the service; only its owner may read it. */
export function publish(dataDir: string, service: Service): void {
  retract(dataDir); // an existing file would keep its mode
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, "ready.json"), `${JSON.stringify(service, undefined, 2)}\n`, { mode: 0o600 });
  if (service.apiKey) writeFileSync(join(dataDir, "api-key"), `${service.apiKey}\n`, { mode: 0o600 });
}

/** The service has ended, and its key with it. */
export function retract(dataDir: string): void {
  for (const name of ["ready.json", "api-key"]) rmSync(join(dataDir, name), { force: true });
}

/** For the person at the terminal. */
export function welcome(service: Service, dataDir: string): string {
  const { url, registry, chainId, rpcUrl, issuer, apiKey, accounts } = service;
  const rows: [string, string][] = [
    ["API", url],
    ["Console", `${url}/console/`],
    ["Registry", `${registry} on chain ${chainId}`],
    ["Chain's node", new URL(rpcUrl).origin],
    ["Identity provider", issuer],
    ...(apiKey
      ? ([["API key", `${apiKey}  (also in ${join(dataDir, "api-key")})`]] as [string, string][])
      : []),
    ...accounts
      .slice(0, 2)
      .map(({ address, privateKey }): [string, string] => [
        "Funded account",
        `${address}  key ${privateKey}`,
      ]),
  ];
  const next = [
    ...(accounts.length > 0
      ? [
          "npm run demo                        walks one document through, in a second terminal",
          "npm run --silent token -- alice     prints an identity token for the user alice",
        ]
      : []),
    "npm run keys -- create <tenant>     makes an API key for an integrator",
    "README.md                           shows a first session with curl",
    "Ctrl-C                              stops everything",
  ];
  return [
    "",
    "The service is running.",
    "",
    ...rows.map(([name, value]) => `  ${name.padEnd(18)} ${value}`),
    ...(accounts.length > 0
      ? ["", "  The keys of these accounts are known to the whole world: use them on this local chain only."]
      : []),
    "",
    "What next:",
    "",
    ...next.map((line) => `  ${line}`),
    "",
  ].join("\n");
}

/** For programs. */
export function readyLine({ url, registry, chainId, rpcUrl }: Service): string {
  return `ready ${JSON.stringify({ url, registry, chainId, rpcUrl })}`;
}
