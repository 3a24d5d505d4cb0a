type Named = { name: string; rdns: string };

/** Most characters of a name that are compared: no page shows more. */
const longest = 200;

/** A name as people read it. */
const readable = (name: string): string =>
  name
    .slice(0, longest)
    .normalize("NFKC")
    .replace(/[\p{C}\p{Z}]/gu, "")
    .toLowerCase();

/** Of wallets that call themselves the same, what else each says of itself: the reverse domain of its maker. */
export function tellApart(wallets: readonly Named[]): (string | undefined)[] {
  const count = new Map<string, number>();
  for (const { name } of wallets) count.set(readable(name), (count.get(readable(name)) ?? 0) + 1);
  return wallets.map(({ name, rdns }) => ((count.get(readable(name)) ?? 0) > 1 ? rdns : undefined));
}
