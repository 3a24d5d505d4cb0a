import { z } from "zod";
import type { Transaction } from "../../db/core/pool.ts";
import { type BeginStream, streamType } from "../http/event-stream.ts";
import type { Access, Callers } from "./caller.ts";
import type { Dependencies } from "./dependencies.ts";
import { parse, parsePath } from "./parse.ts";
import type {
  Answer,
  Committed,
  Described,
  Description,
  ReadRoute,
  StreamRequest,
  StreamRoute,
  Unparsed,
  WriteRoute,
} from "./route.ts";

type Input<Who extends Access, Params, Query, Body> = {
  caller: Callers[Who];
  params: Params;
  query: Query;
  body: Body;
};

type Definition<
  Who extends Access,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Value extends z.ZodType,
> = Description & { access: Who; params?: Params; query?: Query; body?: Body; answer: Value };

/** Defines a read operation; `handle` gets the parsed call. */
export function readRoute<
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
  commit(tx: Transaction, plan: Plan, services: Dependencies): Promise<Committed<z.input<Value>>>;
  turn?(plan: Plan): string;
}): WriteRoute {
  return {
    ...described(definition),
    async prepare(call, services) {
      const plan = await prepare(inputOf(definition, call), services);
      return { turn: turn?.(plan), commit: (tx) => commit(tx, plan, services) };
    },
  };
}

/** Defines an operation that streams events; `open` gets the parsed call, and its errors are answered as usual. */
export function streamRoute<
  Who extends Access,
  Value extends z.ZodType,
  Params extends z.ZodType = z.ZodType<unknown>,
  Query extends z.ZodType = z.ZodType<unknown>,
>({
  open,
  ...definition
}: Omit<Definition<Who, Params, Query, z.ZodType<unknown>, Value>, "method" | "status" | "textType"> & {
  open(
    input: Omit<Input<Who, z.output<Params>, z.output<Query>, unknown>, "body"> & StreamRequest,
    services: Dependencies,
  ): Promise<BeginStream>;
}): StreamRoute {
  const route = { ...definition, method: "get", status: 200, textType: streamType } as const;
  return {
    ...described(route),
    open: async (call, request, services) => await open({ ...inputOf(route, call), ...request }, services),
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
