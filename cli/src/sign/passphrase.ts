import { readBounded, readDescriptor } from "../files/read-bounded.ts";
import type { Io } from "../io.ts";
import { printable } from "../output/printable.ts";
import { misuse } from "../problem.ts";

/** Where a passphrase comes from: never from an argument, which every process can read. */
export type PassphraseSource = { file: string | undefined; descriptor: number | undefined };

const mostBytes = 64 * 1024;

/** Reads the passphrase of a keystore from its source, or asks for it. @throws Problem where nobody can be asked */
export async function readPassphrase(keystore: string, source: PassphraseSource, io: Io): Promise<string> {
  const { file, descriptor } = source;
  if (descriptor !== undefined) {
    return withoutMarks((await readDescriptor(descriptor, mostBytes)).toString("utf8"));
  }
  if (file !== undefined) return withoutMarks((await readBounded(file, mostBytes, io)).toString("utf8"));
  if (io.ask !== undefined) return await io.ask(`Passphrase of ${printable(keystore)}: `, { hidden: true });
  throw misuse(
    "passphrase-missing",
    "Nobody is at the terminal to type the passphrase: give --passphrase-file or --passphrase-fd.",
  );
}

/** Without the byte order mark and the line end that editors add. */
const withoutMarks = (text: string): string => text.replace(/^\ufeff/, "").replace(/\r?\n$/, "");
