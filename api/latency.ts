import type { RequestHandler } from "express";
import type { Figures } from "./figures.ts";

/** Measures each request from its head to the end of its answer, by route: a path may hold a capability. */
export function measureRequests(figures: Figures): RequestHandler {
  return (_request, response, next) => {
    const started = performance.now();
    response.on("close", () => {
      const { method } = response.req;
      const route = String(response.locals["route"] ?? "none");
      figures.observe({ method, route, status: response.statusCode }, (performance.now() - started) / 1000);
    });
    next();
  };
}
