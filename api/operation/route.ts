import type { z } from "zod";
import type { Transaction } from "../../db/core/pool.ts";
import type { KeyScope } from "../../db/service/api-keys.ts";
import type { AuditEvent } from "../../db/service/audit.ts";
import type { Envelope } from "../../domain/envelope.ts";
import type { ErrorCode } from "../../domain/errors.ts";
import type { LastingCredentials } from "../auth/lasting-credentials.ts";
import type { BeginStream } from "../http/event-stream.ts";
import type { Access, Caller } from "./caller.ts";
import type { Dependencies } from "./dependencies.ts";

export type Method = "get" | "post" | "patch" | "delete";

export type Answer<Value> = { value: Value; meta?: NonNullable<Envelope["meta"]>; status?: number };

/**
 * A stored write. It has no event where nothing changed, so that free repetitions do not fill the audit log.
 */
export type Committed<Value> = { answer: Answer<Value>; event: AuditEvent | undefined };

/** The words and numbers that describe an operation. */
export type Description = {
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
  /** The scope that an API key needs, where it is not that of the method. */
  scope?: KeyScope;
  /** The code for a path that cannot be an id. */
  notFound?: ErrorCode;
  /** Success is a text of this type instead of the envelope. */
  textType?: string;
};

/** A call as it came in. */
export type Unparsed = { caller: Caller; params: unknown; query: unknown; body: unknown };

/** The data of a route: its description, and the schemas of its input and output. */
export type Described = Description & {
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

/** Facts about the request of a stream, beside the parsed call. */
export type StreamRequest = {
  /** Values of the header Last-Event-ID. */
  lastEventIds: readonly string[];
  credentials: LastingCredentials;
  /** The address that counts for a caller without a key. */
  client: string;
};

/** An operation that answers a stream of events: `open` parses and checks one call, before the first byte. */
export type StreamRoute = Described & {
  open(call: Unparsed, request: StreamRequest, services: Dependencies): Promise<BeginStream>;
};

export type Route = ReadRoute | WriteRoute | StreamRoute;

/** The scope that an API key needs for an operation. */
export const scopeOf = ({ method, scope }: Pick<Route, "method" | "scope">): KeyScope =>
  scope ?? (method === "get" ? "read" : "write");

/** GET and DELETE are idempotent by themselves. */
export const takesIdempotencyKey = ({ method }: Pick<Route, "method">): boolean =>
  method === "post" || method === "patch";
