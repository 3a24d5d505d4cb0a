/** An answer of a stub: a value, or an error with its status. */
export type StubAnswer = { value: unknown } | { status: number; code: string; message: string };

export type StubCall = { method: string; path: string; headers: Headers; body: unknown };

/**
 * A service for programs under test, in place of `fetch`: each call is answered by the function for its method and
 * path, such as `GET /assets/0x1/status`, or by 404.
 */
export function stubService(routes: Record<string, (call: StubCall) => StubAnswer | Promise<StubAnswer>>) {
  const calls: StubCall[] = [];
  const fetch = (async (input: string | URL | Request, init: RequestInit = {}) => {
    const { pathname, search } = new URL(String(input));
    const method = init.method ?? "GET";
    const path = pathname + search;
    const body = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
    const call = { method, path, headers: new Headers(init.headers), body };
    calls.push(call);
    const route = routes[`${method} ${path}`] ?? routes[`${method} ${pathname}`];
    const unknown = { status: 404, code: "ASSET_NOT_FOUND", message: "There is no such asset." };
    const answer = (await route?.(call)) ?? unknown;
    const { status, ...error } = "value" in answer ? { status: 200 } : answer;
    const envelope = "value" in answer ? { value: answer.value, meta: {} } : { value: null, error };
    return new Response(JSON.stringify(envelope), {
      status,
      headers: { "content-type": "application/json" },
    });
  }) as typeof globalThis.fetch;
  return { fetch, calls };
}
