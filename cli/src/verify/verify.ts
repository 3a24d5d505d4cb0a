import type { HashMethod } from "asset-registry-proof";
import { nodeUrl } from "../blocks/node.ts";
import type { BlockOptions } from "../blocks/trusted.ts";
import type { Settings } from "../config/settings.ts";
import { hashPath } from "../files/hash.ts";
import type { Io } from "../io.ts";
import { misuse } from "../problem.ts";
import { connectService } from "../service/connect.ts";
import { hintOf } from "../service/other-bytes.ts";
import { check, type Wanted } from "./check.ts";
import { type Found, fetchProofs, readDocument, searchIds } from "./proofs.ts";
import { digestsOf, type Subject } from "./subject.ts";
import type { Told } from "./told.ts";

/** What is to be verified, and against what. */
export type Question = {
  subject: Subject;
  /** The proof's file; undefined: the service is asked. */
  proof: string | undefined;
  /** The asset that it must be; undefined: the service is asked for those that bear the subject's hash. */
  asset: string | undefined;
  methods: readonly HashMethod[];
  author: string | undefined;
  children: string[];
  blocks: BlockOptions;
};

/** Verifies the proof at hand, or those that the service has. @throws Problem where there is none to verify */
export async function verify(question: Question, settings: Settings, io: Io): Promise<Told[]> {
  const { subject, proof, author, children } = question;
  const { found, known } =
    proof === undefined
      ? await ask(question, settings, io)
      : { found: [await readDocument(proof, question.asset, io)], known: undefined };
  const wanted: Wanted = {
    ...{ subject, author, children },
    digests: digestsOf(subject, io, known),
    blocks: withSettings(question.blocks, settings),
    registry: settings.registry,
  };
  const results: Told[] = [];
  for (const one of found) results.push(await resultOf(one, wanted, io));
  return results;
}

/** One source of the block's hash: one that is named goes over the nodes of the settings. */
function withSettings({ blockHash, blockFile }: BlockOptions, { rpc }: Settings): BlockOptions {
  if (blockHash !== undefined) return { blockHash };
  if (blockFile !== undefined) return { blockFile };
  return rpc === undefined ? {} : { rpc: rpc.map(nodeUrl) };
}

/** Asks the service for proofs, and says which digests of the file are known by then. */
async function ask({ subject, asset, methods, author, children }: Question, settings: Settings, io: Io) {
  const { client } = connectService(settings, io);
  if (asset !== undefined)
    return { found: await fetchProofs(client, [asset], children, io), known: undefined };
  if (subject === undefined) throw misuse("proof-missing", "Without a file name the proof, or --asset.");
  const known =
    "hash" in subject
      ? new Map([[subject.hash.method, subject.hash.digits]])
      : (await hashPath(subject.file, methods, io)).digests;
  const explain = async () =>
    "file" in subject ? await hintOf(client, subject.file, methods, io) : undefined;
  const ids = await searchIds(client, { digests: known, author, explain }, io);
  return { found: await fetchProofs(client, ids, children, io), known };
}

async function resultOf(found: Found, wanted: Wanted, io: Io): Promise<Told> {
  if (!("problem" in found)) return await check(found, wanted, io);
  const { source, problem } = found;
  return {
    proof: source,
    verdict: "cannot check",
    words: problem.message,
    checks: [],
    hint: problem.message,
  };
}
