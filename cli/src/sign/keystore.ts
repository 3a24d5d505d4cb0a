import { addr } from "micro-eth-signer";
import { privFromLegacyKeystore } from "micro-eth-signer/keystore.js";
import { readBounded } from "../files/read-bounded.ts";
import type { Io } from "../io.ts";
import { printable } from "../output/printable.ts";
import { misuse, Problem } from "../problem.ts";
import { isAffordable } from "./keystore-cost.ts";

/** A private key that is open, and its address. */
export type Key = { address: string; privateKey: Uint8Array };

const mostKeystoreBytes = 64 * 1024;

/**
 * Opens a keystore (Web3 Secret Storage, version 3).
 * @throws Problem where it is none, or the passphrase is another one
 */
export async function openKeystore(path: string, passphrase: () => Promise<string>, io: Io): Promise<Key> {
  const shown = printable(path);
  const keystore = parsed((await readBounded(path, mostKeystoreBytes, io)).toString("utf8"));
  if (keystore === undefined) throw misuse("keystore-invalid", `${shown} is no keystore of version 3.`);
  if (!isAffordable(keystore)) {
    const text = `${shown} asks for more work to be opened than any usual keystore`;
    throw misuse(
      "keystore-too-costly",
      `${text}: its kdfparams are damaged, or made to keep this program busy.`,
    );
  }
  for (const form of formsOf(await passphrase())) {
    const privateKey = await privFromLegacyKeystore(keystore as never, form, true).catch(() => undefined);
    if (privateKey === undefined) continue;
    const address = addr.fromPrivateKey(privateKey);
    requireOwn(keystore, address, shown);
    return { address, privateKey };
  }
  throw new Problem(
    "keystore-not-opened",
    `${shown} cannot be opened: its passphrase is another one, or it is damaged.`,
  );
}

type Keystore = { version?: unknown; address?: unknown };

function parsed(text: string): Keystore | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isKeystore = typeof value === "object" && value !== null && (value as Keystore).version === 3;
    return isKeystore ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A keystore may say whose it is. */
function requireOwn({ address }: Keystore, own: string, shown: string): void {
  if (typeof address !== "string" || address === "") return;
  if (address.replace(/^0x/, "").toLowerCase() === own.slice(2).toLowerCase()) return;
  throw misuse("keystore-invalid", `${shown} says another address than that of its key, ${own}.`);
}

/** The forms in which programs encrypt with a passphrase: as it is typed (geth, cast), and normalised (ethers). */
function formsOf(passphrase: string): Set<string> {
  return new Set([passphrase, ...["NFKC", "NFC", "NFD", "NFKD"].map((form) => passphrase.normalize(form))]);
}
