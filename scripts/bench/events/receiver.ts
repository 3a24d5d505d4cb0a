import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createCaller } from "../caller.ts";

/** A receiver of webhooks on a port of its own, which accepts everything. */
export async function startReceiver() {
  const hooks: ((sequence: number) => void)[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => {
      body += part;
    });
    request.on("end", () => {
      hooks[Number(request.url?.slice(1))]?.(Number(/"sequence":(\d+)/.exec(body)?.[1]));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;

  return {
    /** Registers a webhook of an API key. @returns what removes it */
    async add(
      apiUrl: string,
      key: string,
      filter: { kinds: string[]; assetId?: string },
      told: (sequence: number) => void,
    ): Promise<() => Promise<void>> {
      const { ask, close } = createCaller(1);
      const headers = { "x-api-key": key, "content-type": "application/json" };
      const nth = hooks.push(told) - 1;
      const body = { url: `http://127.0.0.1:${port}/${nth}`, ...filter };
      const { status, text } = await ask("POST", `${apiUrl}/webhooks/`, headers, JSON.stringify(body));
      if (status !== 201) throw new Error(`A webhook was answered ${status}: ${text.slice(0, 300)}`);
      const { id } = (JSON.parse(text) as { value: { id: string } }).value;
      return async () => {
        await ask("DELETE", `${apiUrl}/webhooks/${id}`, headers);
        close();
      };
    },
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}
