import type { Call } from "./call.ts";
import type { CallOptions } from "./options.ts";
import type { Envelope } from "./types/envelope.ts";

/** Parameters of a list; null and undefined count as absent. */
export type ListQuery = Record<string, string | number | null | undefined>;

/** The pages of a list to its end; an entry that arrives meanwhile moves no other. */
export async function* readPages(
  call: Call,
  path: string,
  query: ListQuery,
  options: CallOptions | undefined,
): AsyncGenerator<Envelope> {
  let cursor: string | undefined;
  do {
    const page = await call("GET", path + queryString({ ...query, cursor }), undefined, options);
    yield page;
    cursor = page.meta?.next;
  } while (cursor !== undefined);
}

/** The parameters as the end of a URL; empty where there are none. */
export function queryString(query: ListQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value != null) parameters.set(name, String(value));
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}
