import type { RequestListener } from "node:http";
import express, { type NextFunction, type Request, type RequestHandler, type Response } from "express";
import { ApiError } from "../domain/errors.ts";
import { headerValues } from "../domain/headers.ts";
import { authenticate } from "./auth/authenticate.ts";
import { lastingCredentials } from "./auth/lasting-credentials.ts";
import { requireMetricsToken } from "./auth/metrics-token.ts";
import { leadToConsole, serveConsole } from "./console/routes.ts";
import { readBody } from "./http/body.ts";
import { allowOrigins } from "./http/cors.ts";
import { answerErrors } from "./http/error-handler.ts";
import { sendStream } from "./http/event-stream.ts";
import { refuseMethodOverride } from "./http/method-override.ts";
import { openGate, openToAll } from "./http/rate-limit/gate.ts";
import { type Followed, followRequests } from "./http/request-log.ts";
import { failure, send, sendAnswer, sendReplay, sendText } from "./http/respond.ts";
import { protectData, protectPage } from "./http/security-headers.ts";
import { servePageFiles } from "./openapi/page-files.ts";
import type { Dependencies } from "./operation/dependencies.ts";
import { idempotencyKey, keyedRequest } from "./operation/idempotency-key.ts";
import type { Route } from "./operation/route.ts";
import { carryOut } from "./operation/write.ts";
import { allRoutes } from "./routes.ts";
import { readSchemaProblem } from "./service/readiness.ts";

/** The API as a request handler; it opens nothing and does not listen. */
export function createApp(services: Dependencies): RequestListener {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  app.set("query parser", "simple");

  app.use(refuseBrokenHead);
  app.use("/docs", protectPage, servePageFiles(services.rateLimits));
  app.use("/console", serveConsole(services));
  if (services.corsOrigins.length > 0) app.use(allowOrigins(services.corsOrigins));
  app.get("/", leadToConsole(services));
  for (const route of allRoutes) app[route.method](expressPath(route.path), serve(route, services));
  for (const path of new Set(allRoutes.map(({ path }) => path)))
    app.all(expressPath(path), refuseMethod(path));
  app.use(() => {
    throw new ApiError("ROUTE_NOT_FOUND", "There is nothing at this path.");
  });
  const fail = answerErrors(services.log, () => readSchemaProblem(services));
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) =>
    fail(error, response),
  );

  const follow = followRequests(services.log, services.figures);
  return (request, bare) => {
    const response = follow(request, bare);
    protectData(request, response, () => {});
    // Express calls this where it cannot parse the request target.
    app(request as Request, response as Response, () => {
      send(response, 400, failure(new ApiError("MALFORMED_PATH", "The path cannot be read.")));
    });
  };
}

/** `/assets/{assetId}` in the form of Express. */
const expressPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

function serve(route: Route, services: Dependencies): RequestHandler {
  return async (request, response) => {
    response.locals["route"] = route.path;
    if (route.metrics) requireMetricsToken(request, services.metricsToken);
    const gate = route.unlimited ? openToAll : openGate(services.rateLimits, request, response);
    const caller = await authenticate({ services, gate }, request, route);
    const key = idempotencyKey(request, route);
    const body =
      route.body === undefined ? undefined : await readBody(request, response, route.bodyOptional === true);
    const { params, query } = request;
    const { tenant, keyId, user } = caller;
    response.locals["caller"] = { tenant, keyId };
    const call = { caller, params, query, body };
    if ("open" in route) {
      const client = services.rateLimits.callerOf(request);
      const credentials = lastingCredentials(services.keys, request, caller);
      const lastEventIds = headerValues(request, "last-event-id");
      const begin = await route.open(call, { lastEventIds, credentials, client }, services);
      return sendStream(request, response as Response & Followed, begin, services.streams.readers);
    }
    const { requestId } = response.locals;
    const by = { tenant, keyId, user, requestId, client: services.rateLimits.callerOf(request) };
    const keyed = key === undefined ? undefined : keyedRequest(request, route, caller, key);
    const answer =
      "run" in route
        ? await route.run(call, services)
        : await carryOut(services.pool, { by, key: keyed, status: route.status }, () =>
            route.prepare(call, services),
          );
    if ("replayed" in answer) return sendReplay(response, answer.replayed);
    if (route.textType !== undefined) sendText(response, route.textType, String(answer.value));
    else sendAnswer(response, answer.status ?? route.status, answer);
  };
}

/** Refuses paths that cannot be decoded, HTTP/1.1 without exactly one Host (RFC 9112, 3.2), and method overrides. */
const refuseBrokenHead: RequestHandler = (request, _response, next) => {
  decodeURIComponent(request.path);
  const hosts = headerValues(request, "host").length;
  if (hosts > 1 || (hosts === 0 && request.httpVersion === "1.1")) {
    throw new ApiError("INVALID_REQUEST", "The request must have exactly one Host header.");
  }
  refuseMethodOverride(request, request.query);
  next();
};

function refuseMethod(path: string): RequestHandler {
  const methods = allRoutes.filter((route) => route.path === path).map(({ method }) => method.toUpperCase());
  const allowed = [...methods, ...(methods.includes("GET") ? ["HEAD"] : [])].sort().join(", ");
  return (_request, response) => {
    response.locals["route"] = path;
    response.setHeader("Allow", allowed);
    throw new ApiError("METHOD_NOT_ALLOWED", `This path takes ${allowed}.`);
  };
}
