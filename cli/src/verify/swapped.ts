import { ProofError, readProof } from "asset-registry-proof";
import { standardInput } from "../files/hash.ts";
import { readBounded } from "../files/read-bounded.ts";
import type { Io } from "../io.ts";
import { Problem } from "../problem.ts";
import { mostDocumentBytes } from "./proofs.ts";
import type { Subject } from "./subject.ts";

/** Says that the file is a proof itself, where the proof is none: somebody named them the other way round. */
export async function swappedHint(subject: Subject, io: Io): Promise<string | undefined> {
  if (subject === undefined || !("file" in subject) || subject.file === standardInput) return undefined;
  try {
    readProof(await readBounded(subject.file, mostDocumentBytes, io));
    return "The file that you named first is a proof: name the file first, and its proof second.";
  } catch (error) {
    if (error instanceof ProofError || error instanceof Problem) return undefined;
    throw error;
  }
}
