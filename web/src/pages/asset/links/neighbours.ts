import type { PublicAsset, PublicQuery } from "asset-registry-client";

type Reads = {
  publicAssets(query: PublicQuery, options?: { signal?: AbortSignal }): AsyncIterable<PublicAsset>;
};

/** Names of assets by their ids. */
export type Names = ReadonlyMap<string, string>;

/** Entries of a page, and most neighbours of each direction whose names are read. */
const [size, most] = [200, 600];

/** The names of the newest assets that an asset links to, and of those that link to it, by six requests at most. */
export async function namesAround(registry: Reads, id: string, signal?: AbortSignal): Promise<Names> {
  const options = signal === undefined ? {} : { signal };
  const read = async (query: PublicQuery) => {
    const names: [string, string][] = [];
    for await (const { id, name } of registry.publicAssets({ ...query, size }, options)) {
      names.push([id, name]);
      if (names.length >= most) break;
    }
    return names;
  };
  const [to, from] = await Promise.all([read({ linkedFrom: id }), read({ linkedTo: id })]);
  return new Map([...to, ...from]);
}
