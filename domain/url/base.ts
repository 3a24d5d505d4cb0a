/** A URL without the slashes at its end, so that a path can follow it. */
export function urlBase(url: string): string {
  let end = url.length;
  while (url.endsWith("/", end)) end -= 1;
  return url.slice(0, end);
}
