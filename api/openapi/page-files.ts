import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RequestHandler, Router } from "express";
import { openGate } from "../http/rate-limit/gate.ts";
import type { RateLimits } from "../http/rate-limit/rate-limits.ts";

const own = join(import.meta.dirname, "page");
const swaggerUi = dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist/package.json")));

/** The page to read, which shows the document by Swagger UI. */
export const page = readFileSync(join(own, "index.html"), "utf8");

/** Headers for which Express would refuse to send a file; a browser that reads the page sends none of them. */
const ignoredHeaders = ["if-match", "if-unmodified-since"];

/** Serves what the page loads, within the rate limit of an address. */
export function servePageFiles(rateLimits: RateLimits): RequestHandler {
  const router = Router({ caseSensitive: true });
  for (const [root, name] of [
    [own, "start.js"],
    [swaggerUi, "swagger-ui.css"],
    [swaggerUi, "swagger-ui-bundle.js"],
  ] as const) {
    // npm gives every version of a file the same time, so a hash tells them apart.
    const digest = hash("sha256", readFileSync(join(root, name)), "base64url");
    const options = { root, lastModified: false, acceptRanges: false, headers: { ETag: `"${digest}"` } };
    // The page asks for them beside itself as `/docs`, and one folder deeper as `/docs/`.
    router.get([`/${name}`, `/docs/${name}`], async (request, response) => {
      response.locals["route"] = `/docs/${name}`;
      await openGate(rateLimits, request, response).address();
      for (const header of ignoredHeaders) delete request.headers[header];
      response.sendFile(name, options);
    });
  }
  return router;
}
