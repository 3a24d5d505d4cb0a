import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { Hex } from "viem";
import { SessionError } from "./service.ts";

/** Where the password of a keystore comes from; never the command line, which every process can read. */
export type PasswordSource = { file: string | undefined; environment: string | undefined };

/** Opens a keystore (Web3 Secret Storage, version 3). @throws SessionError */
export async function openKeystore(file: string, source: PasswordSource): Promise<Hex> {
  const { decryptKeystoreJson, isKeystoreJson } = await import("ethers");
  const json = await readText(file);
  if (!isKeystoreJson(json)) throw new SessionError(`${file} is no keystore of version 3.`);
  for (const password of encodingsOf(await passwordOf(file, source))) {
    try {
      const { privateKey } = await decryptKeystoreJson(json, password);
      return privateKey as Hex;
    } catch {
      // Another program may have encrypted it with the password in another form.
    }
  }
  throw new SessionError(`${file} cannot be opened: its password is another one, or it is damaged.`);
}

/**
 * The bytes that a password may have been encrypted with, the likeliest first: as it is typed (geth, cast), in the
 * normal form that ethers makes of it (NFKC), and in those of systems whose keyboards write letters in parts.
 */
function encodingsOf(password: string): Buffer[] {
  const forms = ["NFKC", "NFC", "NFD", "NFKD"].map((form) => password.normalize(form));
  return [...new Set([password, ...forms])].map((form) => Buffer.from(form));
}

async function passwordOf(keystore: string, { file, environment }: PasswordSource): Promise<string> {
  if (file !== undefined) return withoutMarks(await readText(file));
  if (environment !== undefined) return environment;
  if (process.stdin.isTTY) return await ask(`Password of ${keystore}: `);
  throw new SessionError("Set KEYSTORE_PASSWORD, or name a file by --password-file.");
}

/** Without the byte order mark and the line end that editors add. */
const withoutMarks = (text: string): string => text.replace(/^\ufeff/, "").replace(/\r?\n$/, "");

async function readText(file: string): Promise<string> {
  return await readFile(file, "utf8").catch((error: Error) => {
    throw new SessionError(`${file} cannot be read: ${error.message}`);
  });
}

/** Asks at the terminal without showing what is typed. */
async function ask(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  const stopped = new AbortController();
  terminal.on("SIGINT", () => stopped.abort());
  process.stderr.write(question);
  try {
    return await terminal.question("", { signal: stopped.signal });
  } catch {
    throw new SessionError("No password was given.");
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
}
