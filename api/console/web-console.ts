import type { ServedRegistry } from "../service/registry.ts";
import { type ConsoleReader, consoleReader } from "./built-files.ts";
import { consoleSettings, type Published } from "./settings.ts";
import { signInOrigins } from "./sign-in-origins.ts";

/** The web console: its built files, and what it has to know of its service. */
export type WebConsole = {
  files: ConsoleReader;
  settings: ReturnType<typeof consoleSettings>;
  /** Origins that its pages call to sign somebody in; none where nobody signs in. */
  signInOrigins(): Promise<readonly string[]>;
};

/** @param folder the built console, which may be missing */
export function openWebConsole(
  config: Published,
  publicUrl: string,
  registry: ServedRegistry,
  folder: string,
): WebConsole {
  const [issuer = ""] = config.OIDC_ISSUER;
  return {
    files: consoleReader(folder),
    settings: consoleSettings(config, publicUrl, registry),
    signInOrigins: config.OIDC_CLIENT_ID === undefined ? async () => [] : signInOrigins(issuer),
  };
}
