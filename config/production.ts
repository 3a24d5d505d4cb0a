import { isIP } from "node:net";
import type { Hex } from "viem";
import { isKnownKey } from "./known-keys.ts";
import { isWeakSecret } from "./weak-secret.ts";

/** The settings that production checks, as far as they could be parsed. */
export type Examined = {
  HOST?: string;
  PUBLIC_URL?: string | undefined;
  CHAIN_RPC_URL?: string | undefined;
  CHAIN_EXPLORER_URL?: string | undefined;
  OIDC_ISSUER?: readonly string[] | undefined;
  DATABASE_URL?: string | undefined;
  API_KEYS?: readonly { tenant: string; key: string }[] | undefined;
  METRICS_TOKEN?: string | undefined;
  DEPLOYER_KEY?: Hex | undefined;
  RELAYER_KEY?: Hex | undefined;
  AUTHOR_KEY?: Hex | undefined;
};

/** The example key of `.env.example`: anyone can read it. */
export const EXAMPLE_API_KEY = "replace-me-with-32-random-characters";

const usualPasswords = [
  "postgres",
  "password",
  "passwd",
  "admin",
  "root",
  "secret",
  "test",
  "example",
  "changeme",
];

/** Settings whose URLs the browsers and wallets of users open. */
const openUrls = ["PUBLIC_URL", "CHAIN_RPC_URL", "CHAIN_EXPLORER_URL"] as const;

/**
 * Settings that are made for a developer's machine, or guessable, and refused in production. No secret is repeated.
 * @param servesUsers whether this process answers users, who need its URL
 */
export function productionProblems(settings: Examined, servesUsers: boolean): string[] {
  return [
    ...keyProblems(settings),
    ...urlProblems("OIDC_ISSUER", settings.OIDC_ISSUER ?? []),
    ...openUrls.flatMap((name) => urlProblems(name, [settings[name] ?? []].flat())),
    ...(servesUsers ? missingUrl(settings) : []),
    ...passwordProblems(settings.DATABASE_URL),
  ];
}

function keyProblems({ API_KEYS = [], METRICS_TOKEN, ...settings }: Examined): string[] {
  const problems: string[] = [];
  if (API_KEYS.some(({ key }) => key === EXAMPLE_API_KEY)) {
    problems.push("API_KEYS holds the example key of .env.example: anyone can read it");
  }
  for (const { tenant, key } of API_KEYS) {
    if (key === EXAMPLE_API_KEY || !isWeakSecret(key)) continue;
    problems.push(
      `API_KEYS holds a key of ${tenant} that can be guessed, which is refused in production: draw one, ` +
        "as `npm run keys -- create` does",
    );
  }
  if (METRICS_TOKEN !== undefined && isWeakSecret(METRICS_TOKEN)) {
    problems.push("METRICS_TOKEN can be guessed, which is refused in production: draw one by chance");
  }
  for (const name of ["DEPLOYER_KEY", "RELAYER_KEY", "AUTHOR_KEY"] as const) {
    const key = settings[name];
    if (key === undefined || !isKnownKey(key)) continue;
    problems.push(`${name} is a key that the whole world knows, which is refused in production`);
  }
  return problems;
}

function urlProblems(name: string, urls: readonly string[]): string[] {
  return urls.flatMap((text) => {
    const url = URL.parse(text);
    if (url === null) return [];
    if (isLoopback(url.hostname))
      return [`${name} ${text} is on this machine, which is refused in production`];
    if (url.protocol === "https:") return [];
    return [
      `${name} ${text} must start with https:// in production: without TLS anybody in between can change it`,
    ];
  });
}

function missingUrl({ HOST, PUBLIC_URL }: Examined): string[] {
  if (HOST === undefined || PUBLIC_URL !== undefined || isLoopback(HOST)) return [];
  return [
    `PUBLIC_URL is missing: HOST ${HOST} is open to the network, and users must know the service by its URL`,
  ];
}

function passwordProblems(databaseUrl: string | undefined): string[] {
  const { username = "", password = "" } = (databaseUrl && URL.parse(databaseUrl)) || {};
  const plain = password.toLowerCase();
  const isUsual = usualPasswords.includes(plain) || /^(\d)\1*$|^1234/.test(plain);
  if (password === "" || !(isUsual || password === username)) return [];
  return ["DATABASE_URL holds a password that is tried first, which is refused in production"];
}

/** Also of every address that stands for the machine itself, however it is written. */
function isLoopback(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
  if (/^(.+\.)?localhost$/.test(name)) return true;
  if (isIP(name) === 4) return name.startsWith("127.");
  return name === "::1" || /^::ffff:(127\.|7f)/.test(name);
}
