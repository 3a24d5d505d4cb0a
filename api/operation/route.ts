import { z } from "zod";
import type { Transaction } from "../../db/core/pool.ts";
import type { AuditEvent } from "../../db/service/audit.ts";
import type { User } from "../../db/service/wallets.ts";
import type { Envelope } from "../../domain/envelope.ts";
import type { ErrorCode } from "../../domain/errors.ts";
import type { Dependencies } from "./dependencies.ts";
import { parse, parsePath } from "./parse.ts";

/**
 * Who may call an operation:
 * - `key`: an API key, and optionally a bearer token
 * - `bearer`: an identity token
 * - `either`: an API key, or an identity token, or both
 * - `capability`: whoever knows the id in the path
 * - `open`: everybody
 *
 * A credential that is sent is verified even if it is not needed; only open operations ignore credentials.
 */
export type Access = "key" | "bearer" | "either" | "capability" | "open";

type Callers = {
  key: { tenant: string; keyId: string; user: User | undefined };
  bearer: { tenant: string | undefined; keyId: string | undefined; user: User };
  either: { tenant: string | undefined; keyId: string | undefined; user: User | undefined };
  capability: { tenant: string | undefined; keyId: string | undefined; user: User | undefined };
  open: { tenant: undefined; keyId: undefined; user: undefined };
};
export type Caller = Callers[Access];
export type KeyCaller = Callers["key"];

export type Method = "get" | "post" | "patch" | "delete";

export type Answer<Value> = { value: Value; meta?: NonNullable<Envelope["meta"]>; status?: number };

/**
 * A stored write. It has no event where nothing changed, so that free repetitions do not fill the audit log.
 */
export type Committed<Value> = { answer: Answer<Value>; event: AuditEvent | undefined };

type Input<Who extends Access, Params, Query, Body> = {
  caller: Callers[Who];
  params: Params;
  query: Query;
  body: Body;
};

type Description = {
  method: Method;
  /** In the form of OpenAPI: `/assets/{assetId}`. A trailing slash may be left out or added by the caller. */
  path: string;
  summary: string;
  errors: readonly ErrorCode[];
  /** HTTP status of success. */
  status: number;
  /** No rate limit, for probes. */
  unlimited?: true;
  /** Where METRICS_TOKEN is set, only whoever sends it is answered. */
  metrics?: true;
  /** Its answer may carry warnings, in `meta`. */
  warns?: true;
  /** The body may be left out, and is `{}` then. */
  bodyOptional?: true;
  /** The code for a path that cannot be an id. */
  notFound?: ErrorCode;
  /** Success is a text of this type instead of the envelope. */
  textType?: string;
};

type Definition<
  Who extends Access,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Value extends z.ZodType,
> = Description & { access: Who; params?: Params; query?: Query; body?: Body; answer: Value };

type Unparsed = { caller: Caller; params: unknown; query: unknown; body: unknown };

type Described = Description & {
  access: Access;
  params: z.ZodType | undefined;
  query: z.ZodType | undefined;
  body: z.ZodType | undefined;
  answer: z.ZodType;
};

/** An operation that changes nothing: a description to read, and `run`, which parses and answers one call. */
export type ReadRoute = Described & {
  run(call: Unparsed, services: Dependencies): Promise<Answer<unknown>>;
};

/** A checked write, ready to commit. Writes of one `turn` are committed one after the other. */
export type PreparedWrite = {
  turn: string | undefined;
  commit(tx: Transaction): Promise<Committed<unknown>>;
};

/** An operation that changes something: a description to read, and `prepare`, which parses one call and plans it. */
export type WriteRoute = Described & {
  prepare(call: Unparsed, services: Dependencies): Promise<PreparedWrite>;
};

export type Route = ReadRoute | WriteRoute;

/** GET and DELETE are idempotent by themselves. */
export const takesIdempotencyKey = ({ method }: Pick<Route, "method">): boolean =>
  method === "post" || method === "patch";

/** Defines a read operation; `handle` gets the parsed call. */
export function route<
  Who extends Access,
  Value extends z.ZodType,
  Params extends z.ZodType = z.ZodType<unknown>,
  Query extends z.ZodType = z.ZodType<unknown>,
  Body extends z.ZodType = z.ZodType<unknown>,
>({
  handle,
  ...definition
}: Definition<Who, Params, Query, Body, Value> & {
  handle(
    input: Input<Who, z.output<Params>, z.output<Query>, z.output<Body>>,
    services: Dependencies,
  ): Promise<Answer<z.input<Value>>>;
}): ReadRoute {
  return {
    ...described(definition),
    run: async (call, services) => await handle(inputOf(definition, call), services),
  };
}

/**
 * Defines a write operation. `prepare` reads, calls the node and refuses, without storing; `commit` runs in the given
 * transaction, and may refuse what has changed since. The caller stores the audit event and the answer under an
 * Idempotency-Key.
 * @param definition `turn` is the key of a queue for writes that would wait for the same database lock
 */
export function writeRoute<
  Who extends Access,
  Value extends z.ZodType,
  Plan,
  Params extends z.ZodType = z.ZodType<unknown>,
  Query extends z.ZodType = z.ZodType<unknown>,
  Body extends z.ZodType = z.ZodType<unknown>,
>({
  prepare,
  commit,
  turn,
  ...definition
}: Definition<Who, Params, Query, Body, Value> & {
  prepare(
    input: Input<Who, z.output<Params>, z.output<Query>, z.output<Body>>,
    services: Dependencies,
  ): Promise<Plan>;
  commit(tx: Transaction, plan: Plan): Promise<Committed<z.input<Value>>>;
  turn?(plan: Plan): string;
}): WriteRoute {
  return {
    ...described(definition),
    async prepare(call, services) {
      const plan = await prepare(inputOf(definition, call), services);
      return { turn: turn?.(plan), commit: (tx) => commit(tx, plan) };
    },
  };
}

type AnyDefinition = Definition<Access, z.ZodType, z.ZodType, z.ZodType, z.ZodType>;

const described = ({ params, query, body, ...description }: AnyDefinition): Described => ({
  ...description,
  params,
  query,
  body,
});

const nothing = z.strictObject({});

function inputOf<
  Who extends Access,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Value extends z.ZodType,
>(
  { access, params, query, body, notFound }: Definition<Who, Params, Query, Body, Value>,
  call: Unparsed,
): Input<Who, z.output<Params>, z.output<Query>, z.output<Body>> {
  return {
    // `authenticate` has checked the access.
    caller: call.caller as Callers[Who],
    params: (params === undefined
      ? call.params
      : parsePath(params, call.params, notFound)) as z.output<Params>,
    query: (access === "open" && query === undefined
      ? {}
      : parse(query ?? nothing, call.query)) as z.output<Query>,
    body: (body === undefined ? call.body : parse(body, call.body)) as z.output<Body>,
  };
}
