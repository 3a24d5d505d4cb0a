import { type Request, type RequestHandler, type Response, Router } from "express";
import { ApiError } from "../../domain/errors.ts";
import { openGate } from "../http/rate-limit/gate.ts";
import { sendText } from "../http/respond.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { notBuiltPage } from "./not-built.ts";
import { protectConsoleFile, protectConsolePage } from "./page-headers.ts";
import { sendFile } from "./send-file.ts";

type Services = Pick<Dependencies, "webConsole" | "rateLimits">;

/** Seconds for which the settings may be cached. */
const SETTINGS_MAX_AGE = 60;
/** The name of a file has the hash of its contents in it. */
const forEver = "public, max-age=31536000, immutable";

/** A path of a page: its segments have neither dots nor anything that is encoded. */
export const pagePath = /^(\/[A-Za-z0-9_-]+)*\/?$/;

/** Sources of everything that a visitor may name to check a file against: any node, and one on their own machine. */
const anyNode = ["https:", "wss:", "http://127.0.0.1:*", "http://localhost:*"];

/** Serves the console below `/console`: its settings, its files, and one document for every page. */
export function serveConsole(services: Services): RequestHandler {
  const { webConsole, rateLimits } = services;
  const router = Router({ caseSensitive: true, strict: true });
  const pass = (request: Request, response: Response, route: string) => {
    response.locals["route"] = route;
    return openGate(rateLimits, request, response).address();
  };

  router.get("/settings.json", async (request, response) => {
    await pass(request, response, "/console/settings.json");
    const text = JSON.stringify(await webConsole.settings());
    sendText(response, "application/json; charset=utf-8", text, `public, max-age=${SETTINGS_MAX_AGE}`);
  });

  router.get(/^\/files\//, async (request, response) => {
    await pass(request, response, "/console/files");
    const file = (await webConsole.files())?.get(request.path.slice(1));
    if (file === undefined) throw nothingHere();
    protectConsoleFile(request, response, () => {});
    sendFile(request, response, file, forEver);
  });

  router.get(pagePath, async (request, response) => {
    await pass(request, response, "/console");
    const [built, origins] = await Promise.all([webConsole.files(), webConsole.signInOrigins()]);
    const isVerify = /^\/verify(\/|$)/.test(request.path);
    protectConsolePage(request, response, [...origins, ...(isVerify ? anyNode : [])]);
    // The link to sign at is as secret as the id in it.
    if (request.path.startsWith("/sign/")) response.setHeader("X-Robots-Tag", "noindex");
    const document = built?.get("index.html");
    if (document !== undefined) return sendFile(request, response, document, "no-cache");
    response.statusCode = 503;
    sendText(response, "text/html; charset=utf-8", notBuiltPage);
  });

  router.use((request, response) => {
    response.locals["route"] = "/console";
    if (request.method === "GET" || request.method === "HEAD") throw nothingHere();
    response.setHeader("Allow", "GET, HEAD");
    throw new ApiError("METHOD_NOT_ALLOWED", "This path takes GET, HEAD.");
  });
  return router;
}

/** Leads a browser from `/` to the console; programs, which do not ask for HTML, get the API's own answer. */
export function leadToConsole({
  rateLimits,
  publicUrl,
}: Services & Pick<Dependencies, "publicUrl">): RequestHandler {
  const location = `${new URL(publicUrl).pathname.replace(/\/$/, "")}/console/`;
  return async (request, response, next) => {
    response.vary("Accept");
    if (request.accepts(["json", "html"]) !== "html") return next();
    response.locals["route"] = "/";
    await openGate(rateLimits, request, response).address();
    response.statusCode = 303;
    response.setHeader("Location", location);
    sendText(response, "text/plain; charset=utf-8", `See ${location}\n`);
  };
}

const nothingHere = () => new ApiError("ROUTE_NOT_FOUND", "There is nothing at this path.");
