import { type HashMethod, methodName, type Proof, readStoredHash } from "asset-registry-proof";
import { hashPath, standardInput } from "../files/hash.ts";
import { usualMethod } from "../files/usual-method.ts";
import { variantsOf } from "../files/variants.ts";
import type { Io } from "../io.ts";

/** What a proof is compared with: a file, a hash that stands for one, or nothing. */
export type Subject = { file: string } | { hash: { method: HashMethod; digits: string } } | undefined;

/** A digest as the verifier takes it. */
type FileHash = { method: string; digest: string };

/** Digests of one file by the methods that proofs ask for, each computed once. */
export type Digests = { of(asset: Proof["asset"] | undefined): Promise<FileHash | undefined> };

/** The digest of the subject by the method that an asset names, or by the usual one where it names none. */
export function digestsOf(
  subject: Subject,
  io: Io,
  known: ReadonlyMap<HashMethod, string> = new Map(),
): Digests {
  const digests = new Map(known);
  return {
    async of(asset) {
      if (subject === undefined) return undefined;
      if ("hash" in subject) {
        return { method: methodName(subject.hash.method), digest: subject.hash.digits };
      }
      const wanted = methodOf(asset);
      const [read] = digests.keys();
      // Standard input can be read once: the verifier then says that the methods differ.
      const method = subject.file === standardInput && !digests.has(wanted) ? (read ?? wanted) : wanted;
      if (!digests.has(method)) {
        const hashed = await hashPath(subject.file, [method], io);
        digests.set(method, hashed.digests.get(method) ?? "");
      }
      return { method: methodName(method), digest: digests.get(method) ?? "" };
    },
  };
}

function methodOf(asset: Proof["asset"] | undefined): HashMethod {
  const stored = asset && readStoredHash(asset);
  return stored === undefined || typeof stored === "string" ? usualMethod : stored.method;
}

/** Why a file that differs may have been expected to match: the same text in other bytes does. */
export async function hintOf(subject: Subject, asset: Proof["asset"]): Promise<string | undefined> {
  const stored = readStoredHash(asset);
  if (subject === undefined || !("file" in subject) || typeof stored === "string") return undefined;
  const variants = await variantsOf(subject.file, stored.method);
  const same = variants.find(({ digest }) => digest === stored.digits);
  if (same === undefined) return undefined;
  return `The same text with ${same.words} has the registered hash: some program changed the bytes of the file.`;
}
