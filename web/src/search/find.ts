import {
  type PublicAsset,
  type PublicQuery,
  type RegistryClient,
  RegistryError,
} from "asset-registry-client";
import type { Ask } from "./understand.ts";

/** An asset, and the first question that it answers. */
export type Found = { asset: PublicAsset; ask: Ask };

type Reads = Pick<RegistryClient, "publicAsset" | "publicAssets">;

/** Entries of a page. */
const SIZE = 20;

/**
 * The assets that answer any of the questions, in the order of the questions, each once. Where there is an asset of an id
 * that is asked for first, nothing else is meant, and nothing else is asked.
 */
export async function* find(
  registry: Reads,
  asks: readonly Ask[],
  signal: AbortSignal,
): AsyncGenerator<Found> {
  const [head] = asks;
  if (head?.by === "id") {
    const asset = await onChain(registry, head.id, signal);
    if (asset !== undefined) return yield { asset, ask: head };
  }
  const seen = new Set<string>();
  // The first page of each is asked for at once.
  const started = asks.filter(isListed).map((ask) => {
    const answers = registry.publicAssets({ ...queryOf(ask), size: SIZE }, { signal });
    const first = answers.next();
    // It is awaited later, if at all.
    first.catch(() => {});
    return { ask, answers, first };
  });
  for (const { ask, answers, first } of started) {
    for (let next = await first; !next.done; next = await answers.next()) {
      const asset = next.value;
      if (!seen.has(asset.id)) yield { asset, ask };
      seen.add(asset.id);
    }
  }
}

type Listed = Exclude<Ask, { by: "id" }>;

const isListed = (ask: Ask): ask is Listed => ask.by !== "id";

/** An asset of the chain; undefined where there is none of this id. */
async function onChain(registry: Reads, id: string, signal: AbortSignal): Promise<PublicAsset | undefined> {
  try {
    return await registry.publicAsset(id, { signal });
  } catch (error) {
    if (error instanceof RegistryError && error.code === "ASSET_NOT_FOUND") return undefined;
    throw error;
  }
}

function queryOf(ask: Listed): PublicQuery {
  switch (ask.by) {
    case "author":
      return { author: ask.author };
    case "hash":
      return { hash: ask.digits, method: ask.method };
    case "name":
      return { name: ask.text };
    case "words":
      return { words: ask.text };
  }
}

/** The newest assets of the chain, as if they answered no question in particular. */
export async function* newest(registry: Reads, size: number, signal: AbortSignal): AsyncGenerator<Found> {
  for await (const asset of registry.publicAssets({ size }, { signal }))
    yield { asset, ask: { by: "id", id: asset.id } };
}
