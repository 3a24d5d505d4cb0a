import type { PublicAsset } from "asset-registry-client";
import type { Checked } from "./check-proof.ts";

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

const texts = ["name", "data", "fileName", "fileType", "fileSize", "method", "hash", "uri"] as const;

/** Whether a proof is of the registry that this service serves, on its chain. */
export function isOfService(
  { chainId, registry }: { chainId: number; registry: string },
  service: { registry: string; chain: { id: number } },
): boolean {
  return chainId === service.chain.id && isSame(registry, service.registry);
}

/**
 * Whether what the service tells of an asset is something else than what a proof shows: another asset, author, time or
 * text. Texts that the service cannot tell whole are not compared.
 */
export function contradicts({ result, proof }: Checked, told: PublicAsset): boolean {
  if (proof === undefined) return false;
  const { id, author } = proof.asset;
  const untold = new Set<string>([...(told.truncated ?? []), ...(told.inexact ?? [])]);
  return (
    !isSame(id, told.id) ||
    !isSame(author, told.author) ||
    proof.chainId !== told.chainId ||
    !isSame(proof.registry, told.registry) ||
    texts.some((name) => !untold.has(name) && proof.asset[name] !== told[name]) ||
    (result.asset !== undefined && result.asset.createdOn * 1_000 !== Date.parse(told.createdOn))
  );
}

/** Latest second that a date can hold. */
const latest = 8_640_000_000_000;

/** Unix seconds as ISO 8601, or in words where no date is so late; a forged proof may name any. */
export const instantOf = (seconds: number): string =>
  seconds > latest ? `${seconds} s after 1970` : new Date(seconds * 1_000).toISOString();
