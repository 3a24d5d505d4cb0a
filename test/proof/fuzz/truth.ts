import type { Proof, Result } from "../../../proof/src/proof.ts";
import type { Truth } from "./scene.ts";

/**
 * Why a result that says "valid" says something that is not true; undefined where it is. It knows what the block
 * holds, and reads the document by `JSON.parse` alone: it shares no code with the verifier.
 */
export function lieOf(
  text: string,
  sha256: string | undefined,
  result: Result,
  truth: Truth,
): string | undefined {
  const document = JSON.parse(text.replace(/^\ufeff/, "")) as Proof | { value: Proof };
  const proof = "value" in document ? document.value : document;
  const { asset, block, links = [] } = result;
  const real = truth.assets.get(proof.asset.id);
  if (real === undefined) return `the asset ${proof.asset.id} is not registered`;
  const { id, author, salt, ...texts } = proof.asset;
  const { content, createdOn } = real;
  const said = {
    ...{ id: asset?.id, author: asset?.author, createdOn: asset?.createdOn },
    ...{ chainId: asset?.chainId, registry: asset?.registry },
    ...{ number: block?.number, hash: block?.hash, timestamp: block?.timestamp },
  };
  const isTrue = {
    ...{ id, author: content.author, createdOn },
    ...{ chainId: truth.chainId, registry: truth.registry },
    ...truth.block,
  };
  if (!isSame(said, isTrue)) return "it tells other facts than the block holds";
  const written = {
    ...{
      texts,
      salt,
      author: author.toLowerCase(),
      chainId: proof.chainId,
      registry: proof.registry.toLowerCase(),
    },
    ...{ number: proof.block.number, hash: proof.block.hash, timestamp: proof.block.timestamp },
  };
  const original = {
    ...{ texts: content.details, salt: content.salt, author: content.author.toLowerCase() },
    ...{ chainId: truth.chainId, registry: truth.registry.toLowerCase(), ...truth.block },
  };
  if (!isSame(written, original)) return "the document says something else than the block holds";
  if (sha256 !== undefined && sha256 !== real.sha256) return "the file is another";
  const children = proof.links.map(({ child }) => child);
  if (
    !isSame(
      children,
      links.map(({ child }) => child),
    )
  )
    return "its links are not those of the document";
  for (const link of links) {
    const record = real.links.get(link.child);
    const state = record === undefined ? "never added" : record.revokedOn === 0 ? "standing" : "revoked";
    const times = { addedOn: 0, revokedOn: 0, ...link };
    const isReal =
      record === undefined || (times.addedOn === record.addedOn && times.revokedOn === record.revokedOn);
    if (link.state !== state || !isReal) return `the link to ${link.child} is ${state}`;
  }
  return undefined;
}

/** Whether two values are equal, whatever the order of their members. */
const isSame = (a: unknown, b: unknown): boolean => sorted(a) === sorted(b);

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_name, inner) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
