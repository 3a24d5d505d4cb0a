import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/**
 * What happens to one request:
 * - `lost`: it does not arrive
 * - `answer lost`, `answer cut`: it is carried out, and the connection ends before the answer, or in it
 * - `never answered`: it arrives, and nothing comes back
 * - `passes`: nothing
 * - an answer in the service's place
 */
export type Fault =
  | "passes"
  | "lost"
  | "never answered"
  | "answer lost"
  | "answer cut"
  | { status: number; body: string; retryAfter?: string };

/** A way to a service on which the first requests meet these faults, one each; all others pass. */
export async function startBadWay(url: string, faults: Fault[]) {
  const passed: { method: string; path: string; key: string | undefined; at: number }[] = [];
  let seen = (): void => undefined;
  const first = new Promise<void>((resolve) => {
    seen = resolve;
  });
  const server = createServer(async (request, response) => {
    const { method = "", url: path = "", headers } = request;
    const key = headers["idempotency-key"];
    passed.push({ method, path, key: typeof key === "string" ? key : undefined, at: performance.now() });
    const fault = faults.shift();
    response.on("close", seen);
    if (fault === "never answered") return;
    if (typeof fault === "object") return answerInstead(response, fault);
    if (fault === "lost") return void response.destroy();
    const { host: _, connection: __, "transfer-encoding": ___, ...kept } = headers;
    const body = await text(request);
    const answer = await fetch(url + path, {
      method,
      headers: kept as Record<string, string>,
      ...(body === "" ? {} : { body }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (fault === "answer lost") return void response.destroy();
    response.writeHead(answer.status, {
      ...Object.fromEntries(answer.headers),
      "content-length": bytes.length,
    });
    if (fault === "answer cut") response.write(bytes.subarray(0, 10), () => response.destroy());
    else response.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What came along, faults included. */
    passed,
    /** What the next requests meet. */
    faults,
    /** The first request has ended. */
    first,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerInstead(response: ServerResponse, { status, body, retryAfter }: Exclude<Fault, string>): void {
  response.writeHead(status, retryAfter === undefined ? {} : { "Retry-After": retryAfter });
  response.end(body);
}

/** A refusal in the service's own words. */
export const refusal = (status: number, code: string, retryAfter?: string): Fault => ({
  status,
  body: JSON.stringify({ value: null, error: { code, message: "No." } }),
  ...(retryAfter === undefined ? {} : { retryAfter }),
});
