import { type AddressInfo, createServer } from "node:net";
import { Writable } from "node:stream";
import { expect } from "chai";
import { pino } from "pino";
import { createApp } from "../../api/app.ts";
import { createStreams, type StreamSettings } from "../../api/events/streams.ts";
import { streamType } from "../../api/http/event-stream.ts";
import { type ClientLimits, close, createHttpServer } from "../../api/http/server.ts";
import { createDependencies, requiredSettings } from "../../api/operation/dependencies.ts";
import type { Route } from "../../api/operation/route.ts";
import { errorsOf } from "../../api/operation/route-errors.ts";
import { allRoutes } from "../../api/routes.ts";
import { createMonitor } from "../../api/service/monitor.ts";
import { readConfig } from "../../config.ts";
import { createIndexPosition } from "../../db/chain/index-position.ts";
import { followNotifications } from "../../db/core/notifications.ts";
import { inTransaction, openPool } from "../../db/core/pool.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import { type ErrorCode, errorTable } from "../../domain/errors.ts";
import { expectDocumented } from "./contract.ts";
import { createDatabase, type TestDatabase } from "./database/postgres.ts";
import { secretsKept } from "./invariants.ts";

export const keys = {
  "tenant-a": "key-of-tenant-a-0123456789abcdef",
  "tenant-b": "key-of-tenant-b-0123456789abcdef",
} as const;

/** A port that nothing listens on: the node or the identity provider is down. */
export const nowhere = "http://127.0.0.1:1";

export const registry: Registry = {
  chainId: 31_337,
  address: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
};

type Options = {
  /** A database that the caller drops; otherwise one of its own. */
  database?: TestDatabase;
  rpcUrl?: string;
  registry?: Registry;
  issuer?: string;
  /** Time zone of the sessions in the database. */
  timeZone?: string;
  /** Further environment variables. */
  environment?: Record<string, string>;
  /** false: no indexer has run on the database. */
  indexed?: boolean;
  databaseDown?: boolean;
  /** Folder of the built console; otherwise the one that `npm run build` makes. */
  consoleFolder?: string;
  /** Makes PUBLIC_URL the URL at which it listens. */
  atOwnUrl?: boolean;
  /** Milliseconds for which figures and readiness are shared; a test that writes reads what it wrote. */
  monitorMaxAge?: number;
  /** Other limits of streams of events. */
  streams?: Partial<StreamSettings>;
  /** Other limits of clients. */
  clients?: Partial<ClientLimits>;
  /** Whether the database has to answer as promptly as in service; a test on a busy machine gives it more time. */
  prompt?: boolean;
};

export type Call = {
  /** A tenant's key, another key, or none. */
  key?: string | null;
  bearer?: string;
  /** A JSON body; a text is sent as it is. */
  body?: unknown;
  /** A body of any bytes, and of no content type. */
  raw?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
};

export type Answer = {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  value: any;
  meta?: { size?: number; page?: number; next?: string };
  error?: { code: ErrorCode; message: string; details?: { field: string; message: string }[] };
};

export type TestApi = Awaited<ReturnType<typeof startApi>>;

/** The API on a port and a database of its own, with real HTTP between it and the test. */
export async function startApi(options: Options = {}) {
  const served = options.registry ?? registry;
  const database = options.database ?? (await createDatabase());
  const mark = database.url.includes("?") ? "&" : "?";
  const session = options.timeZone === undefined ? "" : `${mark}options=-c TimeZone=${options.timeZone}`;
  const pool = openPool(database.url + session, {
    application: "test api",
    prompt: options.prompt ?? false,
  });
  if (options.indexed !== false) {
    await inTransaction(pool, (tx) =>
      createIndexPosition(tx, { ...cursorOf(served), startBlock: 0, headNumber: 0 }),
    );
  }
  // The port is known before the settings that name it are read.
  const reserved = createServer();
  await new Promise<void>((resolve) => reserved.listen(0, "127.0.0.1", resolve));
  const { port } = reserved.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const config = readConfig(
    {
      DATABASE_URL: database.url,
      RPC_URL: options.rpcUrl ?? nowhere,
      REGISTRY_ADDRESS: served.address,
      OIDC_ISSUER: options.issuer ?? nowhere,
      PUBLIC_URL: options.atOwnUrl ? url : "https://registry.example",
      API_KEYS: Object.entries(keys)
        .map(([tenant, key]) => `${tenant}:${key}`)
        .join(),
      // Tests ask as often as they like, but for those of the limits.
      RATE_LIMIT: "0",
      RATE_LIMIT_ADDRESS: "0",
      RATE_LIMIT_PUBLIC: "0",
      RATE_LIMIT_FAILURES: "0",
      ...options.environment,
    },
    requiredSettings,
  );
  const lines: string[] = [];
  const secrets = secretsKept(Object.values(keys));
  const log = pino(
    { level: "debug" },
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    }),
  );
  const deadPool = options.databaseDown
    ? openPool(nowhere.replace("http", "postgres"), { application: "test" })
    : undefined;
  const services = createDependencies(
    config,
    deadPool ?? pool,
    log,
    createMonitor(deadPool ?? pool, options.monitorMaxAge ?? 0),
    options.consoleFolder,
  );
  if (options.streams !== undefined) {
    services.streams = createStreams({ tail: pool, pages: pool }, log, options.streams);
  }
  const server = createHttpServer(createApp(services), options.clients);
  const stopped = new AbortController();
  const keysChanged = () => {
    services.keys.expire();
    services.streams.recheck();
  };
  const handlers = { api_keys: keysChanged, events: services.streams.wake };
  const watching = followNotifications(pool, handlers, stopped.signal);
  await new Promise<void>((resolve) => server.listen(reserved, resolve));

  async function call(method: string, path: string, options: Call = {}): Promise<Answer> {
    const { key = keys["tenant-a"], bearer, body, raw, headers } = options;
    secrets.note(bearer, body);
    const sent = raw ?? (typeof body === "string" || body === undefined ? body : JSON.stringify(body));
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { "X-API-KEY": key }),
        ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    return checkAnswer(method, path, response);
  }

  return {
    url,
    port,
    database,
    pool,
    registry: served,
    services,
    server,
    /** Lines of the log, as JSON texts. */
    lines,
    call,
    get: (path: string, options?: Call) => call("GET", path, options),
    post: (path: string, body?: unknown, options?: Call) => call("POST", path, { body, ...options }),
    patch: (path: string, body?: unknown, options?: Call) => call("PATCH", path, { body, ...options }),
    remove: (path: string, options?: Call) => call("DELETE", path, options),
    async stop() {
      stopped.abort();
      services.streams.close();
      await Promise.all([close(server), watching]);
      await deadPool?.end();
      await pool.end();
      if (options.database === undefined) await database.drop();
      secrets.expectNoneIn(lines);
    },
  };
}

const cursorOf = ({ chainId, address }: Registry) => ({ chainId, registry: address });

/** Every answer is the envelope, in the form that its route promises. */
async function checkAnswer(method: string, path: string, response: Response): Promise<Answer> {
  const { status, headers } = response;
  const route = routeOf(method, path);
  const contentType = headers.get("content-type");
  if (response.ok && contentType === streamType) {
    await response.body?.cancel();
    expectDocumented({ method, path, status, contentType, body: "" });
    return { status, headers, value: undefined };
  }
  if (response.ok && route?.textType !== undefined) {
    expect(contentType).to.equal(route.textType);
    const value = await response.text();
    expectDocumented({ method, path, status, contentType, body: value });
    return { status, headers, value };
  }
  expect(headers.get("content-type")).to.equal("application/json; charset=utf-8");
  expect(headers.get("x-request-id")).to.match(/^[\x21-\x7e]{1,128}$/);
  if (method === "HEAD") {
    expectDocumented({ method, path, status, contentType, body: undefined });
    return { status, headers, value: undefined };
  }
  const envelope = (await response.json()) as Omit<Answer, "status" | "headers">;
  expectDocumented({ method, path, status, contentType, body: envelope });
  expect(envelope).to.have.property("value");
  expect(Object.keys(envelope).filter((key) => !["value", "meta", "error"].includes(key))).to.deep.equal([]);
  if (status >= 400) {
    expect(envelope.value).to.equal(null);
    expect(envelope.error).to.have.keys(["code", "message", ...(envelope.error?.details ? ["details"] : [])]);
    expect(envelope.error?.code).to.be.oneOf(Object.keys(errorTable));
    expect(envelope.error?.message)
      .to.be.a("string")
      .and.match(/^[^\n]{1,2000}$/);
    expect(envelope.error?.message).not.to.match(/node_modules|\.ts\b|at \w+ \(/);
    if (route !== undefined) expect(envelope.error?.code).to.be.oneOf(errorsOf(route));
  } else {
    expect(envelope).not.to.have.property("error");
    route?.answer.parse(envelope.value);
  }
  return { status, headers, ...envelope };
}

function routeOf(method: string, path: string): Route | undefined {
  const plain = path.replace(/\?.*/, "").replace(/(.)\/$/, "$1");
  return allRoutes.find((route) => {
    const pattern = route.path.replace(/(.)\/$/, "$1").replaceAll(/\{\w+\}/g, "[^/]+");
    return route.method === method.toLowerCase() && new RegExp(`^${pattern}$`).test(plain);
  });
}

/** Expects a failure with this code, whose status is the one of the table. */
export function expectError(answer: Answer, status: number, code: ErrorCode): NonNullable<Answer["error"]> {
  expect({ status: answer.status, code: answer.error?.code }, answer.error?.message).to.deep.equal({
    status,
    code,
  });
  return answer.error as NonNullable<Answer["error"]>;
}

/** The fields that a failure names. */
export const fieldsOf = (answer: Answer): string[] => (answer.error?.details ?? []).map(({ field }) => field);
