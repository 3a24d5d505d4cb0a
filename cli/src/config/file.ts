import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Io } from "../io.ts";
import { printable } from "../output/printable.ts";
import { misuse } from "../problem.ts";

/** Members of the configuration file, each left out where it is not set. */
export type FileSettings = {
  url?: string;
  apiKey?: string;
  token?: string;
  rpc?: string[];
  registry?: string;
  chain?: number;
  keystore?: string;
  passphraseFile?: string;
};

const kinds: Record<keyof FileSettings, "text" | "number" | "texts"> = {
  url: "text",
  apiKey: "text",
  token: "text",
  rpc: "texts",
  registry: "text",
  chain: "number",
  keystore: "text",
  passphraseFile: "text",
};

/** The place of the configuration file where none is named: that of the XDG base directories, or of Windows. */
export function usualPlace(env: Io["env"]): string {
  const windows = process.platform === "win32" ? env["APPDATA"] : undefined;
  const base = env["XDG_CONFIG_HOME"] || windows || join(env["HOME"] || homedir(), ".config");
  return join(base, "asset-registry", "config.json");
}

/**
 * Reads the configuration file: the one that is named must be there, the usual one may be.
 * @throws Problem where it is no JSON object of the members above
 */
export async function readSettingsFile(named: string | undefined, io: Io): Promise<FileSettings> {
  const path = named ?? usualPlace(io.env);
  const shown = printable(path);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (named === undefined && (code === "ENOENT" || code === "ENOTDIR")) return {};
    throw misuse("config-not-readable", `The configuration ${shown} cannot be read: ${printable(message)}.`);
  }
  const settings = parse(text, shown);
  if ((settings.apiKey !== undefined || settings.token !== undefined) && (await isOpenToOthers(path))) {
    io.stderr.write(`Warning: others may read the secrets in ${shown}: chmod 600 it.\n`);
  }
  return settings;
}

function parse(text: string, shown: string): FileSettings {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw misuse("config-invalid", `${shown} is no JSON: ${printable((error as Error).message)}.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw misuse("config-invalid", `${shown} must be a JSON object.`);
  }
  for (const [name, member] of Object.entries(value)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name as keyof FileSettings] : undefined;
    if (kind === undefined) {
      const names = Object.keys(kinds).join(", ");
      throw misuse("config-invalid", `${shown} has a member "${printable(name)}"; it may have ${names}.`);
    }
    if (!isOfKind[kind](member))
      throw misuse("config-invalid", `${name} in ${shown} must be ${inWords[kind]}.`);
  }
  return value as FileSettings;
}

const isOfKind = {
  text: (value: unknown) => typeof value === "string" && value !== "",
  number: (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0,
  texts: (value: unknown) => Array.isArray(value) && value.every(isText),
};

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

const inWords = { text: "a text", number: "a whole number", texts: "a list of texts" };

async function isOpenToOthers(path: string): Promise<boolean> {
  return process.platform !== "win32" && ((await stat(path)).mode & 0o077) !== 0;
}
