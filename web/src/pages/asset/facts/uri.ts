/** Longest address that becomes a link, in UTF-16 units. */
const longest = 2_000;

/** What a browser or a reader does not see as it is. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}]/u;

/**
 * The link of a text from the chain, with the host that it leads to; undefined of whatever is not plainly an address on
 * the web, which stays text.
 */
export function webLink(text: string): { href: string; host: string } | undefined {
  if (text.length > longest || !/^https?:\/\//i.test(text) || unseen.test(text) || !URL.canParse(text)) {
    return undefined;
  }
  const { protocol, href, host } = new URL(text);
  return protocol === "http:" || protocol === "https:" ? { href, host } : undefined;
}
