import type { IncomingMessage } from "node:http";
import { isDatabaseUnavailable } from "../../db/core/pool.ts";
import type { Claim } from "../auth/api-keys.ts";
import { overridesMethod } from "../http/method-override.ts";
import { passKey } from "../http/rate-limit/gate.ts";
import type { Followed } from "../http/request-log.ts";
import { sendAnswer } from "../http/respond.ts";
import type { Dependencies } from "./dependencies.ts";
import type { Answer, ReadRoute, Route } from "./route.ts";

/** What a path asks for, and by which key: nothing of it has been checked. */
type Asked = { route: ReadRoute; params: Record<string, string>; query: unknown; claim: Claim };

export type Shortcut = {
  /** What is asked, where it can be answered by the shortcut. */
  find(request: IncomingMessage): Asked | undefined;
  /**
   * Answers, or throws what an answer has to be made of.
   * @returns false where nothing was answered, and the way through the router has to be taken
   */
  take(asked: Asked, response: Followed): Promise<boolean>;
};

/**
 * The way of what is asked most: an asset by its id, with a key that was valid when it was seen last, and nothing
 * else that would have to be looked at. It leads past the router, and asks the database once: who holds the key is
 * read together with the asset, and before that is known nothing is answered. Whatever is out of the ordinary goes
 * through the router, as if this did not exist.
 */
export function createShortcut(routes: readonly Route[], services: Dependencies): Shortcut {
  const ways = routes
    .filter((route): route is ReadRoute => "run" in route && route.confirmsKey === true)
    .map(wayOf);

  return {
    find(request) {
      if (request.method !== "GET" || services.corsOrigins.length > 0) return undefined;
      const { url = "" } = request;
      for (const { route, query, name, before, after } of ways) {
        if (!url.startsWith(before) || !url.endsWith(after)) continue;
        const id = url.slice(before.length, url.length - after.length);
        if (!anId.test(id)) continue;
        const claim = claimOf(request, services);
        return claim && { route, params: { [name]: id.toLowerCase() }, query, claim };
      }
      return undefined;
    },

    async take(asked, response) {
      const { route, claim } = asked;
      response.locals.route = route.path;
      try {
        await passKey(services.rateLimits.key, claim.holder.id, response);
        const answer = await run(asked, services).finally(() => {
          const { tenant, id: keyId } = claim.holder;
          if (claim.holds) response.locals.caller = { tenant, keyId };
        });
        if (claim.holds) {
          sendAnswer(response, route.status, answer);
          return true;
        }
      } catch (error) {
        if (claim.holds || isDatabaseUnavailable(error)) throw error;
      }
      for (const name of ["RateLimit-Policy", "RateLimit", "Retry-After"]) response.removeHeader(name);
      response.locals = { requestId: response.locals.requestId };
      return false;
    },
  };
}

/** The one form of id that needs no decoding and is never refused; in lower case it is what its schema makes of it. */
const anId = /^0x[0-9a-fA-F]{64}$/;

type Way = { route: ReadRoute; query: unknown; name: string; before: string; after: string };

function wayOf(route: ReadRoute): Way {
  const [before = "", name = "", after = ""] = route.path.split(/\{(\w+)\}/);
  return { route, query: route.query?.parse({}) ?? {}, name, before, after };
}

/** The claim of a request that has one host, one key that was seen before and may read, and no token. */
function claimOf(request: IncomingMessage, { keys }: Dependencies): Claim | undefined {
  const { rawHeaders } = request;
  const found = { host: 0, "x-api-key": 0, authorization: 0 };
  let key = "";
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    if (Object.hasOwn(found, name)) found[name as keyof typeof found] += 1;
    if (name === "x-api-key") key = rawHeaders[at + 1] as string;
  }
  if (overridesMethod(request)) return undefined;
  const isPlain = found.host === 1 && found["x-api-key"] === 1 && found.authorization === 0;
  const claim = isPlain ? keys.recall(key) : undefined;
  return claim?.holder.scopes.includes("read") ? claim : undefined;
}

function run({ route, params, query, claim }: Asked, services: Dependencies): Promise<Answer<unknown>> {
  const { id, tenant } = claim.holder;
  const caller = { tenant, keyId: id, user: undefined, claim };
  return route.runParsed({ caller, params, query, body: undefined }, services);
}
