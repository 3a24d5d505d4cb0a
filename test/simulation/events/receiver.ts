import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import type { Random } from "../random.ts";

/** One delivery as it arrived: the event's id, its place in the log, and whether the receiver answered by 2xx. */
export type Arrival = { id: string; sequence: number; body: string; accepted: boolean };

/** Ways of a receiver to fail, each some of the time. */
const failures: ((response: ServerResponse) => void)[] = [
  (response) => response.writeHead(500).end("broken"),
  (response) => response.writeHead(503, { "Retry-After": "1" }).end(),
  (response) => response.writeHead(302, { Location: "/elsewhere" }).end(),
  (response) => response.destroy(),
  (response) => response.writeHead(200, { "Content-Length": "9" }).write("half", () => response.destroy()),
];

/** A receiver of webhooks that fails at random, and checks each signature. */
export async function startReceiver(random: Random, failing: number) {
  const arrivals: Arrival[] = [];
  const problems: string[] = [];
  let verifier: Webhook | undefined;

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const id = String(request.headers["webhook-id"]);
    try {
      verifier?.verify(body, request.headers as Record<string, string>);
    } catch (error) {
      problems.push(`the signature of ${id} is not valid: ${error}`);
    }
    const accepted = !random.chance(failing);
    arrivals.push({ id, sequence: JSON.parse(body).sequence, body, accepted });
    if (accepted) response.writeHead(204).end();
    else random.pick(failures)(response);
  }

  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    arrivals: (): readonly Arrival[] => arrivals,
    problems: (): readonly string[] => problems,
    trust(secret: string): void {
      verifier = new Webhook(secret);
    },
    async stop(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
