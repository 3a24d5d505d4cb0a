import { type RegistryClient, RegistryError } from "asset-registry-client";
import { type HashMethod, methodName } from "asset-registry-proof";
import { readBounded } from "../files/read-bounded.ts";
import type { Io } from "../io.ts";
import { printable } from "../output/printable.ts";
import { Problem } from "../problem.ts";
import { serviceProblem } from "../service/failure.ts";
import { findAssets } from "../service/find.ts";

/** A proof to check: its document, and the asset that it was asked for, if one was. */
export type Received = { source: string; document: Uint8Array | string; asset?: string | undefined };

/** A proof to check, or why the service has none of an asset. */
export type Found = Received | { source: string; problem: Problem };

/** Largest document that the verifier reads, in bytes, and one byte more, so that it says itself that it is too large. */
export const mostDocumentBytes = 4 * 1024 * 1024 + 1;

/** Most proofs that are asked for where many assets bear the hash. */
const mostProofs = 20;

/** A proof that is at hand, which must be of the asset if one is named. */
export async function readDocument(path: string, asset: string | undefined, io: Io): Promise<Found> {
  return { source: path, document: await readBounded(path, mostDocumentBytes, io), asset };
}

/** Proofs of the assets with these ids, from the service. */
export async function fetchProofs(
  client: RegistryClient,
  ids: readonly string[],
  children: readonly string[],
  io: Io,
): Promise<Found[]> {
  const found: Found[] = [];
  for (const id of ids.slice(0, mostProofs)) {
    const source = `asset ${id}`;
    try {
      const proof = await client.publicProof(id, children, { signal: io.signal });
      found.push({ source, document: JSON.stringify(proof ?? null), asset: id });
    } catch (error) {
      const problem = error instanceof RegistryError ? serviceProblem(error) : undefined;
      if (problem === undefined) throw error;
      found.push({ source, problem });
    }
  }
  if (ids.length > mostProofs) {
    io.stderr.write(
      `Only the first ${mostProofs} of ${ids.length} assets are checked: name one by --asset.\n`,
    );
  }
  return found;
}

/** Which assets are looked for, and what explains that there are none. */
type Search = {
  digests: ReadonlyMap<HashMethod, string>;
  author: string | undefined;
  explain: () => Promise<string | undefined>;
};

/** Ids of the assets that bear one of these digests, of an author if one is named. @throws Problem where there are none */
export async function searchIds(
  client: RegistryClient,
  { digests, author, explain }: Search,
  io: Io,
): Promise<string[]> {
  const assets = await findAssets(client, digests, io.signal);
  const wanted = assets.filter(
    (asset) => author === undefined || asset.author.toLowerCase() === author.toLowerCase(),
  );
  if (wanted.length > 0) return wanted.map(({ id }) => toldId(id));
  const by = [...digests.keys()].map(methodName).join(", ");
  const others = assets.length === 0 ? "" : ` by ${author}, but ${assets.length} by others`;
  const what = `The service knows no asset with this ${by} hash${printable(others)}`;
  const hint = assets.length === 0 ? await explain() : undefined;
  const words = `${what}. That says nothing against the file: it may be registered elsewhere.`;
  throw new Problem("not-found", hint === undefined ? words : `${words} ${hint}`);
}

/** @throws Problem where what the service tells as the id of an asset is none */
function toldId(id: unknown): string {
  if (typeof id === "string" && /^0x[0-9a-f]{64}$/i.test(id)) return id.toLowerCase();
  throw new Problem("service-malformed", "The service tells an asset whose id is none.");
}
