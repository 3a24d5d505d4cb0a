import { expect } from "chai";
import type { BrowserContext } from "playwright-core";

type Violation = { effectiveDirective: string; blockedURI: string };
type Document = { addEventListener(name: string, listener: (violation: Violation) => void): void };

/**
 * Notes whatever a browser objects to in the pages of a context: violations of the content security policy, errors in
 * the console, exceptions, and requests to other origins than those allowed.
 */
export async function watchObjections(context: BrowserContext, origin: string) {
  const objections: string[] = [];
  const allowed = new Set([origin]);
  const tolerated: RegExp[] = [];
  const note = (text: string) => {
    if (!tolerated.some((pattern) => pattern.test(text))) objections.push(text);
  };

  await context.exposeBinding("noteViolation", (_source, text: string) => note(text));
  await context.addInitScript(() => {
    const page = globalThis as unknown as { document: Document; noteViolation(text: string): void };
    page.document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
      page.noteViolation(`policy violated: ${effectiveDirective} by ${blockedURI}`),
    );
  });
  context.on("weberror", (error) => note(`exception: ${error.error().message}`));
  context.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) note(`${message.type()}: ${message.text()}`);
  });
  context.on("request", (request) => {
    const url = new URL(request.url());
    const isInside = ["data:", "blob:", "about:"].includes(url.protocol) || allowed.has(url.origin);
    if (!isInside) note(`asked another origin: ${url.href}`);
  });

  return {
    /** Lets pages ask this origin too. */
    allow: (other: string) => void allowed.add(new URL(other).origin),
    /** A message that the test provokes, such as the browser's own about an answer with status 404. */
    tolerate: (pattern: RegExp) => void tolerated.push(pattern),
    expectNone: () => expect(objections).to.deep.equal([]),
  };
}
