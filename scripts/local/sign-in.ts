import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { errors, type InteractionResults, type Provider } from "oidc-provider";
import { isUserName } from "./developer-login.ts";
import { plainPageHeaders } from "./plain-page.ts";
import { signInPage } from "./sign-in-page.ts";

/** Path below which the pages of running sign-ins lie. */
export const SIGN_IN_PATH = "/sign-in/";

/** Largest form in bytes: it holds one name. */
const MOST_BYTES = 1_024;

/** Shows who is signing in a page to choose a user on, and gives the provider their choice. */
export function signInPages(provider: Provider): RequestListener {
  return (request, response) => {
    answer(request, response).catch((error: unknown) => {
      const isOver = error instanceof errors.SessionNotFound;
      const words = isOver
        ? "This sign-in is over: go back to where you came from and sign in again."
        : "The sign-in failed: go back and try again.";
      response.writeHead(isOver ? 400 : 500, { "Content-Type": "text/plain; charset=utf-8" });
      response.end(`${words}\n`);
    });
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Throws where the browser has no cookie of this sign-in.
    await provider.interactionDetails(request, response);
    if (request.method !== "POST") return void response.writeHead(200, plainPageHeaders).end(signInPage());
    const form = await readForm(request);
    const user = form?.get("user") ?? "";
    const cancelled = form?.has("cancel") ?? false;
    if (!cancelled && !isUserName(user)) {
      return void response.writeHead(400, plainPageHeaders).end(signInPage({ refused: true }));
    }
    const result: InteractionResults = cancelled
      ? { error: "access_denied", error_description: "the sign-in was cancelled" }
      : { login: { accountId: user } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
}

/** @returns undefined for a form that is too large */
async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size <= MOST_BYTES) parts.push(part);
  }
  return size > MOST_BYTES ? undefined : new URLSearchParams(Buffer.concat(parts).toString());
}
