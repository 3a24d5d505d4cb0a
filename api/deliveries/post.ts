import http from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import { parseRetryAfter } from "../../rpc/transport/status-error.ts";
import type { AddressRules } from "./addresses.ts";
import type { Agents } from "./agents.ts";
import { askNameServers, checkedLookup, type Resolve } from "./lookup.ts";
import { inertText, KEPT_BYTES, type Outcome } from "./outcome.ts";
import { problemOf, ReceiverError } from "./receiver-error.ts";
import { hostOf, isFreePort, receiverUrlProblem } from "./receiver-url.ts";

export type Post = { webhookId: string; url: string; headers: Record<string, string>; body: string };

export type PostOptions = {
  rules: AddressRules;
  agents: Agents;
  resolve?: Resolve;
  /** Milliseconds until the answer begins, and until it has ended. */
  within?: { answer: number; end: number };
};

const usual = { answer: 10_000, end: 15_000 };

/** Longest body of an answer, in bytes; none of a receiver of webhooks has anything to say that is longer. */
const LONGEST_ANSWER = 65_536;

/** Longest wait that a receiver may ask for, in milliseconds. */
const LONGEST_WAIT = 6 * 3_600_000;

/**
 * Sends one POST and reads its answer, in bounded time and memory. Follows no redirect, decompresses nothing, keeps no
 * cookie and uses no proxy. Never rejects.
 * @param signal ends it early
 */
export async function post(to: Post, options: PostOptions, signal?: AbortSignal): Promise<Outcome> {
  const begun = performance.now();
  const rest = { status: undefined, answer: "", retryAfter: undefined };
  try {
    return { ...(await send(to, options, signal)), duration: elapsed(begun) };
  } catch (error) {
    return { ...rest, ...problemOf(error), duration: elapsed(begun) };
  }
}

const elapsed = (begun: number) => Math.round(performance.now() - begun);

async function send(
  to: Post,
  options: PostOptions,
  ended: AbortSignal | undefined,
): Promise<Omit<Outcome, "duration">> {
  const url = URL.parse(to.url);
  const refused = url === null ? "The URL cannot be read." : receiverUrlProblem(url, options.rules);
  if (url === null || refused !== undefined) {
    const isAddress = url !== null && isIP(hostOf(url)) !== 0;
    throw new ReceiverError(isAddress ? "ADDRESS_NOT_ALLOWED" : "URL_NOT_ALLOWED", refused ?? "");
  }
  const { answer, end } = options.within ?? usual;
  const stop = new AbortController();
  const signal = ended === undefined ? stop.signal : AbortSignal.any([stop.signal, ended]);
  signal.throwIfAborted();
  const late = (what: string, ms: number) =>
    setTimeout(() => stop.abort(new ReceiverError("TIMEOUT", `${what} within ${ms / 1000} seconds.`)), ms);
  const answerTimer = late("The receiver did not answer", answer);
  const endTimer = late("The answer of the receiver did not end", end);
  try {
    const response = await request(url, to, options, signal);
    clearTimeout(answerTimer);
    const body = await readBody(response, signal);
    return judge(response, body, url);
  } finally {
    clearTimeout(answerTimer);
    clearTimeout(endTimer);
  }
}

/** Errors of a kept connection that the receiver had closed before the request came. */
const closedBefore = ["ECONNRESET", "EPIPE"];

/** Kept connections that are tried before a new one is made. */
const MOST_KEPT = 2;

async function request(
  url: URL,
  to: Post,
  options: PostOptions,
  signal: AbortSignal,
  tries = 0,
): Promise<http.IncomingMessage> {
  const sent = prepare(url, to, options);
  try {
    return await answerTo(sent, to.body, signal);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const isStale = sent.reusedSocket && closedBefore.includes(code) && tries < MOST_KEPT;
    if (isStale && !signal.aborted) return await request(url, to, options, signal, tries + 1);
    throw error;
  }
}

function prepare(
  url: URL,
  to: Post,
  { rules, agents, resolve = askNameServers }: PostOptions,
): http.ClientRequest {
  const isHttp = url.protocol === "http:";
  return (isHttp ? http : https).request(url, {
    method: "POST",
    agent: agents.of(to.webhookId, isHttp),
    lookup: checkedLookup(resolve, rules, isHttp || !isFreePort(url)),
    headers: { ...to.headers, "Content-Length": Buffer.byteLength(to.body) },
    maxHeaderSize: 16_384,
  });
}

function answerTo(
  sent: http.ClientRequest,
  body: string,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  return new Promise((settle, fail) => {
    const abort = () => sent.destroy(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    sent.on("error", fail);
    sent.on("upgrade", (_response, socket) => {
      socket.destroy();
      fail(new ReceiverError("INVALID_ANSWER", "The receiver wants to change the protocol (101)."));
    });
    sent.on("response", settle);
    sent.on("close", () => {
      signal.removeEventListener("abort", abort);
      fail(new ReceiverError("CONNECTION_FAILED", "The receiver closed the connection without an answer."));
    });
    sent.end(body);
  });
}

/** @returns the first bytes of the body, of which the rest is only counted */
function readBody(response: http.IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  return new Promise((settle, fail) => {
    const kept: Buffer[] = [];
    let length = 0;
    const end = (error: Error) => {
      response.destroy();
      fail(error);
    };
    const abort = () => end(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    response.on("data", (chunk: Buffer) => {
      if (length < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES));
      length += chunk.length;
      if (length > LONGEST_ANSWER) {
        end(new ReceiverError("ANSWER_TOO_LARGE", `The answer is longer than ${LONGEST_ANSWER} bytes.`));
      }
    });
    response.on("end", () => settle(Buffer.concat(kept)));
    response.on("error", () => undefined);
    response.on("close", () => {
      signal.removeEventListener("abort", abort);
      // Nothing more happens where it has ended or failed before.
      fail(
        new ReceiverError("CLOSED_EARLY", "The receiver closed the connection in the middle of its answer."),
      );
    });
  });
}

function judge(response: http.IncomingMessage, body: Buffer, url: URL): Omit<Outcome, "duration"> {
  const { statusCode: status = 0, headers } = response;
  const answered = { status, answer: inertText(body), retryAfter: undefined };
  if (status >= 200 && status < 300) return { ...answered, problem: undefined, message: undefined };
  if (status >= 300 && status < 400 && headers.location !== undefined) {
    const place = URL.parse(headers.location, url.href)?.href.slice(0, 500) ?? "no URL";
    return {
      ...answered,
      problem: "REDIRECT",
      message: `The receiver redirects to ${place}: give that URL.`,
    };
  }
  const wait =
    status === 429 || status === 503
      ? parseRetryAfter(headers["retry-after"], Date.now(), LONGEST_WAIT)
      : undefined;
  const message = `The receiver answered ${status}, and not a status of 2xx.`;
  return { ...answered, problem: "NOT_ACCEPTED", message, retryAfter: wait };
}
