import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";

/** A request that a receiver got. */
export type Got = { headers: http.IncomingHttpHeaders; body: string; at: number; path: string };

type Answer = (got: Got, response: http.ServerResponse, request: http.IncomingMessage) => void;

/** A receiver of webhooks on a port of its own. */
export type Receiver = {
  url: string;
  port: number;
  got: Got[];
  /** How it answers from now on. */
  answer: Answer;
  /** Waits until it got so many requests. */
  hasGot(count: number, seconds?: number): Promise<Got[]>;
  close(): Promise<void>;
};

export const accept: Answer = (_got, response) => void response.writeHead(204).end();
export const status =
  (code: number, headers: http.OutgoingHttpHeaders = {}, body = ""): Answer =>
  (_got, response) =>
    void response.writeHead(code, headers).end(body);

/** Starts a receiver that accepts everything until it is told otherwise. */
export async function startReceiver(tls?: { key: string; cert: string }): Promise<Receiver> {
  const got: Got[] = [];
  const listener: http.RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const one = {
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        at: Date.now(),
        path: request.url ?? "",
      };
      got.push(one);
      receiver.answer(one, response, request);
    });
    request.on("error", () => undefined);
  };
  const server = tls === undefined ? http.createServer(listener) : https.createServer(tls, listener);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}/hook`,
    port,
    got,
    answer: accept,
    hasGot: (count, seconds) =>
      eventually(
        `${count} requests`,
        async () => got.length,
        (length) => length >= count,
        seconds,
      ).then(() => got),
    close() {
      return new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      });
    },
  };
  return receiver;
}

/** Each subject's events came in the order of the log, repetitions aside. */
export function expectOrder(receiver: Receiver): void {
  const events = receiver.got.map(({ body }) => JSON.parse(body) as { sequence: number; assetId: string });
  for (const [subject, some] of Map.groupBy(events, ({ assetId }) => assetId)) {
    const sequences = some.map(({ sequence }) => sequence);
    const firsts = [...new Set(sequences)];
    expect(firsts, subject).to.deep.equal(firsts.toSorted((a, b) => a - b));
  }
}
