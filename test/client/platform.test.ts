import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { ArgumentError, ConnectionError, createClient, RegistryError } from "../../client/src/client.ts";

async function rejection(promise: Promise<unknown>): Promise<Error> {
  return await promise.then(
    () => expect.fail("it succeeded"),
    (error: Error) => error,
  );
}

/** Changes properties of the platform for one piece of work. */
async function without(
  missing: [target: object, name: string, value?: unknown][],
  work: () => Promise<void>,
) {
  const kept = missing.map(
    ([target, name]) => [target, name, Object.getOwnPropertyDescriptor(target, name)] as const,
  );
  for (const [target, name, value] of missing) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  }
  try {
    await work();
  } finally {
    for (const [target, name, descriptor] of kept) {
      if (descriptor === undefined) Reflect.deleteProperty(target, name);
      else Object.defineProperty(target, name, descriptor);
    }
  }
}

describe("the client where it runs", () => {
  let server: Server;
  let url: string;
  let received: IncomingMessage[];
  let isSilent: boolean;
  before(async () => {
    server = createServer((request, response) => {
      received.push(request);
      if (!isSilent) response.end(JSON.stringify({ value: { id: "x", state: "Received" } }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    received = [];
    isSilent = false;
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const keysSent = () => received.map(({ headers }) => headers["idempotency-key"]);

  const aRandom = globalThis.crypto.getRandomValues.bind(globalThis.crypto);
  for (const [name, crypto] of [
    ["a page by plain http, without crypto.randomUUID", { getRandomValues: aRandom }],
    ["Node.js 18, without a global crypto", undefined],
    ["a platform whose crypto is empty", {}],
  ] as const) {
    it(`makes a key for each change on ${name}`, async () => {
      await without([[globalThis, "crypto", crypto]], async () => {
        const client = createClient({ url });
        for (let count = 0; count < 50; count += 1) await client.link("0x1", []);
      });
      expect(new Set(keysSent()).size).to.equal(50);
      for (const key of keysSent()) {
        expect(key).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      }
    });
  }

  it("needs neither AbortSignal.any and timeout nor throwIfAborted, as Safari before 17.4", async () => {
    const missing: [object, string][] = [
      [AbortSignal, "any"],
      [AbortSignal, "timeout"],
      [AbortSignal.prototype, "throwIfAborted"],
    ];
    await without(missing, async () => {
      const client = createClient({ url, timeout: 100, retries: 0 });
      const stop = new AbortController();
      const { signal } = stop;
      expect((await client.transaction("x", { signal })).id).to.equal("x");
      expect((await client.waitForState("x", "Received", { signal })).id).to.equal("x");
      isSilent = true;
      const late = await rejection(client.transaction("x", { signal }));
      expect(late).to.be.instanceOf(ConnectionError);
      expect(late.message).to.contain("within 100 ms");
      const stopped = rejection(createClient({ url }).transaction("x", { signal }));
      stop.abort(new Error("enough"));
      expect((await stopped).message).to.equal("enough");
      expect((await rejection(client.transaction("x", { signal }))).message).to.equal("enough");
    });
  });

  it("leaves nothing behind on a signal that outlives many calls", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const counted = new Proxy(signal, {
      get(target, name) {
        if (name === "addEventListener") return () => (listeners += 1);
        if (name === "removeEventListener") return () => (listeners -= 1);
        return Reflect.get(target, name, target);
      },
    });
    const client = createClient({ url });
    for (let count = 0; count < 20; count += 1) await client.transaction("x", { signal: counted });
    await client.waitForState("x", "Received", { signal: counted });
    expect(received.length).to.be.at.least(21);
    expect(listeners).to.equal(0);
  });

  it("follows no redirect, which would make a read of a change, and says where it leads", async () => {
    const moved = createServer((_request, response) => {
      response.writeHead(301, { location: `${url}/elsewhere` }).end();
    });
    await new Promise<void>((resolve) => moved.listen(0, "127.0.0.1", resolve));
    try {
      const client = createClient({
        url: `http://127.0.0.1:${(moved.address() as AddressInfo).port}`,
        apiKey: "k",
      });
      for (const call of [() => client.link("x", []), () => client.asset("x")]) {
        const error = await rejection(call());
        expect(error).to.be.instanceOf(ConnectionError).and.include({ status: 301 });
        expect(error.message).to.contain(`${url}/elsewhere`);
      }
      expect(received).to.have.length(0);
    } finally {
      await new Promise((resolve) => moved.close(resolve));
    }
  });

  describe("given a mistake of its caller", () => {
    const secret = "secret\nof-a-key";
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const asset = { name: "x", author: `0x${"1".repeat(40)}` };
    const mistakes: Record<string, () => Promise<unknown>> = {
      "a BigInt in a body": () => createClient({ url }).createAsset({ ...asset, fileSize: 5n } as never),
      "a body that holds itself": () => createClient({ url }).createAsset(circular as never),
      "a url without http://": () => createClient({ url: "registry.example" }).asset("x"),
      "a host and port alone": () => createClient({ url: "localhost:3000" }).asset("x"),
      "no url": () => createClient({ url: "" }).asset("x"),
      "a url that is no text": () => createClient({ url: undefined as never }).asset("x"),
      "a url of another kind": () => createClient({ url: "ftp://registry.example" }).asset("x"),
      "a url with a password": () => createClient({ url: "http://a:b@registry.example" }).asset("x"),
      "a key that no header can hold": () => createClient({ url, apiKey: secret }).asset("x"),
      "a key that is no text": () => createClient({ url, apiKey: 5 as never }).asset("x"),
      "a token that no header can hold": () => createClient({ url, token: secret }).asset("x"),
      "a token function that answers nothing": () =>
        createClient({ url, token: () => undefined as never }).asset("x"),
      "a key of a change that no header can hold": () =>
        createClient({ url }).link("x", [], { idempotencyKey: "order ✓" }),
      "an id that is no text": () => createClient({ url }).asset(7 as never),
      "an id that is empty, so that a list would be read": () => createClient({ url }).asset(""),
      "an id that leads to another path": () => createClient({ url }).transaction(".."),
      "a url with a question mark": () => createClient({ url: `${url}?tenant=a` }).asset("x"),
      "an id with half a character": () => createClient({ url }).asset("\ud800"),
      "a timeout that is no number": () => createClient({ url, timeout: Number.NaN }).asset("x"),
      "no fetch": () =>
        without([[globalThis, "fetch"]], async () => void (await createClient({ url }).asset("x"))),
    };
    for (const [name, call] of Object.entries(mistakes)) {
      it(`says so at once and sends nothing: ${name}`, async () => {
        const started = performance.now();
        const error = await rejection(call());
        expect(error).to.be.instanceOf(ArgumentError);
        expect(error).not.to.be.instanceOf(RegistryError);
        expect(performance.now() - started).to.be.below(200);
        expect(`${error.stack}${String(error.cause)}`).not.to.contain("of-a-key");
        expect(received).to.have.length(0);
      });
    }

    it("throws what the caller's own token function throws, once", async () => {
      let calls = 0;
      const token = () => {
        calls += 1;
        throw new RangeError("signed out");
      };
      const error = await rejection(createClient({ url, token }).asset("x"));
      expect(error).to.be.instanceOf(RangeError);
      expect(calls).to.equal(1);
    });

    it("takes a path alone on a page, whose origin it then is", async () => {
      await without([[globalThis, "location", { href: `${url}/page/1` }]], async () => {
        await createClient({ url: "" }).asset("x");
        await createClient({ url: "/registry/" }).asset("x");
      });
      expect(received.map((request) => request.url)).to.deep.equal(["/assets/x", "/registry/assets/x"]);
    });
  });
});
