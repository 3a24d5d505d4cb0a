import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import {
  ConnectionError,
  createClient,
  type RegistryClient,
  RegistryError,
  type RegistryEvent,
  StateError,
} from "../../client/src/client.ts";
import { verifyProof } from "../../proof/src/proof.ts";
import { keys } from "../support/api.ts";
import { type Fault, refusal, startBadWay } from "../support/bad-way.ts";
import { other, owner, third } from "../support/chain/accounts.ts";
import { type Service, startService } from "../support/service.ts";

async function rejection(promise: Promise<unknown>): Promise<Error> {
  return await promise.then(
    () => expect.fail("it succeeded"),
    (error: Error) => error,
  );
}

describe("the client against the service", () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const client = () => createClient({ url: `${service.url}/`, apiKey: keys["tenant-a"] });

  it("creates, follows, links, revokes and reads", async () => {
    const [lease, amendment] = [
      await client().createAsset({ name: "Lease", author: owner.address }),
      await client().createAsset({ name: "Amendment", author: owner.address }),
    ];
    for (const { transactionId } of [lease, amendment]) {
      await service.carryOut(transactionId);
      const { state } = await client().waitForState(transactionId, "Committed", { interval: 50 });
      expect(state).to.equal("Committed");
    }
    const link = await client().link(lease.id, [amendment.id]);
    await service.carryOut(link.transactionId);
    expect((await client().links(lease.id)).to).to.deep.equal([amendment.id]);
    const revocation = await client().revokeLinks(lease.id, [amendment.id]);
    await service.carryOut(revocation.transactionId);
    expect((await client().asset(lease.id)).assetLinkIds).to.deep.equal([]);
    expect((await client().assetStatus(lease.id)).state).to.equal("Committed");
    const nobody = createClient({ url: service.url });
    expect(await nobody.publicAsset(lease.id)).to.include({ name: "Lease", author: owner.address });
    const [{ id, revokedOn } = {}] = (await nobody.publicLinks(lease.id)).to;
    expect({ id, revokedOn: typeof revokedOn }).to.deep.equal({ id: amendment.id, revokedOn: "string" });
  });

  it("reads a list of several pages to its end, each entry once", async () => {
    const made = [];
    for (const name of ["a", "b", "c", "d", "e"]) {
      made.push((await client().createAsset({ name, author: other.address })).id);
    }
    const seen: string[] = [];
    for await (const { id } of client().assets({ author: other.address, size: 2 })) seen.push(id);
    expect(seen).to.have.length(5).and.have.members(made);
  });

  it("finds every asset that bears a hash, without a key", async () => {
    const hash = "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532";
    const { id } = await service.createAsset({ method: "SHA3-256", hash });
    const seen: string[] = [];
    const nobody = createClient({ url: service.url });
    for await (const asset of nobody.publicAssets({ hash, method: "sha3-256" })) seen.push(asset.id);
    expect(seen).to.deep.equal([id]);
  });

  it("lists the newest assets of the chain and those of an author, without a key", async () => {
    const older = await service.createAsset({ name: "Older" });
    const newer = await service.createAsset({ name: "Newer" });
    const nobody = createClient({ url: service.url });
    for (const query of [{}, { author: owner.address }, { author: owner.address, size: 1 }]) {
      const seen: string[] = [];
      for await (const { id } of nobody.publicAssets(query)) {
        seen.push(id);
        if (seen.length === 2) break;
      }
      expect(seen).to.deep.equal([newer.id, older.id]);
    }
  });

  it("reads links page by page, without a key", async () => {
    const parent = await service.createAsset();
    const children = [await service.createAsset(), await service.createAsset(), await service.createAsset()];
    for (const { id } of children) {
      await service.carryOut((await client().link(parent.id, [id])).transactionId);
    }
    const nobody = createClient({ url: service.url });
    const seen: string[][] = [];
    for await (const { to } of nobody.publicLinkPages(parent.id, { size: 2 }))
      seen.push(to.map(({ id }) => id));
    expect(seen).to.deep.equal(
      [children.slice(0, 2), children.slice(2)].map((page) => page.map(({ id }) => id)),
    );
  });

  it("reads proofs that verify, with a key and without one", async () => {
    const [lease, annex] = [await service.createAsset(), await service.createAsset()];
    await service.rig.mine(4);
    await service.rig.caughtUp();
    const proof = await client().proof(lease.id, [annex.id]);
    const nobody = createClient({ url: service.url });
    expect(await nobody.publicProof(lease.id, [annex.id])).to.deep.equal(proof);
    const trusted = { hash: proof.block.hash, source: "the test" };
    const { verdict, words, links } = verifyProof(proof, { block: trusted, children: [annex.id] });
    expect(verdict, words).to.equal("valid");
    expect(links?.map(({ state }) => state)).to.deep.equal(["never added"]);
    expect((await nobody.publicProof(lease.id)).links).to.deep.equal([]);
  });

  it("reads every link, those behind the first thousand too", async () => {
    const { id } = await service.createAsset();
    const { rows } = await service.pool.query<{ head: string }>(
      "select max(number) as head from chain.blocks",
    );
    const child = Buffer.from(id.slice(2), "hex");
    await service.pool.query(
      `insert into chain.links (parent, child, nth, block_number, transaction_index, log_index, transaction_hash)
       select sha256(n::text::bytea), $1, 1, $2, 0, n, sha256('x') from generate_series(1, 1001) n`,
      [child, rows[0]?.head],
    );
    const { from, to } = await client().links(id);
    expect(new Set(from).size).to.equal(1_001);
    expect(to).to.deep.equal([]);
    await service.pool.query("delete from chain.links where child = $1", [child]);
  });

  it("reads the inbox of a signer to its end, each request once", async () => {
    const made = [];
    for (const name of ["a", "b", "c"]) {
      made.push((await client().createAsset({ name, author: third.address })).transactionId);
    }
    const seen: string[] = [];
    const query = { signer: third.address, state: "Received", size: 2 };
    for await (const { id } of client().transactions(query)) seen.push(id);
    expect(seen).to.have.length(3).and.have.members(made);
  });

  it("throws what the service refuses, with code, status, bad fields and the request's id", async () => {
    const error = await rejection(client().createAsset({ name: "", author: owner.address }));
    expect(error).to.be.instanceOf(RegistryError).and.include({ code: "INVALID_REQUEST", status: 400 });
    expect((error as RegistryError).details.map(({ field }) => field)).to.deep.equal(["name"]);
    expect((error as RegistryError).requestId).to.be.a("string");
  });

  it("stops to wait for a state that cannot come, or that does not come in time", async () => {
    const { transactionId } = await client().createAsset({ name: "No", author: owner.address });
    const late = await rejection(
      client().waitForState(transactionId, "Committed", { timeout: 1_000, interval: 50 }),
    );
    expect(late).to.be.instanceOf(StateError).and.include({ state: "Received" });
    const { refusal } = await client().transaction(transactionId);
    const signature = await owner.signTypedData(refusal as never);
    await client().refuse(transactionId, signature);
    const ended = await rejection(client().waitForState(transactionId, "Committed"));
    expect(ended).to.be.instanceOf(StateError).and.include({ state: "RevokedByUser" });
  });

  it("creates, reads, changes and removes a webhook, and rotates its secret", async () => {
    const { webhooks } = client();
    const { secret, ...made } = await webhooks.create({
      url: "https://receiver.example/events",
      kinds: ["asset", "request.Confirmed"],
    });
    expect(made).to.include({ url: "https://receiver.example/events", state: "active" });
    expect(made.kinds).to.include.members(["request.Confirmed", "asset.registered"]);
    expect(await webhooks.get(made.id)).to.deep.equal(made);
    const paused = await webhooks.update(made.id, { state: "paused", description: "for a while" });
    expect(paused).to.include({ id: made.id, state: "paused", reason: "asked", description: "for a while" });
    expect(await webhooks.list()).to.deep.equal([paused]);
    const rotated = await webhooks.rotateSecret(made.id);
    expect(rotated.secret)
      .to.match(/^whsec_/)
      .and.not.equal(secret);
    expect(rotated.previousSecretUntil).to.be.a("string");
    await webhooks.remove(made.id);
    const error = await rejection(webhooks.get(made.id));
    expect(error).to.be.instanceOf(RegistryError).and.include({ code: "WEBHOOK_NOT_FOUND" });
  });

  it("tells what happens to a request, to its tenant and to whoever knows its id", async () => {
    const { id, transactionId } = await client().createAsset({ name: "Lease", author: third.address });
    const told = async (events: AsyncIterable<RegistryEvent>, count: number) => {
      const found: string[] = [];
      for await (const { kind } of events) if (found.push(kind) === count) break;
      return found;
    };
    await service.carryOut(transactionId, third);
    const states = ["Received", "TxSignatureSubmitted", "Submitted", "Committed"].map(
      (state) => `request.${state}`,
    );
    const nobody = createClient({ url: service.url });
    expect(await told(nobody.listEvents({ transactionId }), 4)).to.deep.equal(states);
    expect(await told(nobody.events({ transactionId, replay: true }), 4)).to.deep.equal(states);
    const kinds = ["request", "asset"] as const;
    expect(await told(client().events({ assetId: id, kinds, replay: true }), 5)).to.have.members([
      ...states,
      "asset.registered",
    ]);
  });

  it("connects, lists and removes a wallet with a token that is got for each call", async () => {
    const users = createClient({ url: service.url, token: () => service.token("carol") });
    const { id, serializedValue } = await users.startWallet({ name: "Office" });
    const signature = await other.signTypedData(JSON.parse(serializedValue));
    await users.confirmWallet(id, { ethereumAddress: other.address, signature });
    expect((await users.wallets()).map((wallet) => wallet.id)).to.deep.equal([id]);
    expect(await users.removeWallet(id)).to.equal(null);
  });
});

describe("the client on a bad way to the service", () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const page = (status: number): Fault => ({ status, body: "<html>Bad gateway</html>" });

  /** Makes calls that meet these faults. @returns what came along the way */
  async function meeting(
    faults: Fault[],
    use: (client: RegistryClient) => Promise<void>,
    options: object = {},
  ) {
    const way = await startBadWay(service.url, faults);
    try {
      await use(createClient({ url: way.url, apiKey: keys["tenant-a"], ...options }));
      return way.passed;
    } finally {
      await way.stop();
    }
  }
  const assetsNamed = async (name: string) =>
    (
      await service.pool.query<{ id: string }>(
        "select '0x' || encode(asset_id, 'hex') as id from service.requests where details->>'name' = $1",
        [name],
      )
    ).rows.map(({ id }) => id);

  const faults: Record<string, Fault> = {
    "a connection that breaks before the request": "lost",
    "a connection that breaks after it was carried out": "answer lost",
    "an answer that is cut short": "answer cut",
    "503, now as before": refusal(503, "DATABASE_UNAVAILABLE", "0"),
    "a fault of the service": refusal(500, "INTERNAL_ERROR"),
    "429 with Retry-After": refusal(429, "RATE_LIMITED", "0"),
    "429 until a time": {
      ...(refusal(429, "RATE_LIMITED") as object),
      retryAfter: new Date().toUTCString(),
    } as Fault,
    "408": refusal(408, "REQUEST_TIMEOUT"),
    "409 for a key in use": refusal(409, "IDEMPOTENCY_KEY_IN_USE", "0"),
    "a proxy's page instead of an answer": page(502),
  };
  for (const [what, fault] of Object.entries(faults)) {
    it(`makes one asset, and answers it, in spite of ${what}`, async () => {
      let id = "";
      const passed = await meeting([fault, fault], async (client) => {
        id = (await client.createAsset({ name: what, author: owner.address })).id;
      });
      expect(await assetsNamed(what)).to.deep.equal([id]);
      expect(passed).to.have.length(3);
      expect(new Set(passed.map(({ key }) => key)).size).to.equal(1);
      expect(passed[0]?.key).to.match(/^[0-9a-f-]{36}$/);
    });
  }

  it("waits as long as Retry-After says, before each try", async () => {
    const started = performance.now();
    await meeting([refusal(429, "RATE_LIMITED", "1")], async (client) => {
      await client.createAsset({ name: "Later", author: owner.address });
    });
    expect(performance.now() - started).to.be.at.least(1_000);
  });

  it("does not ask again for what the service has no means for", async () => {
    const passed = await meeting([refusal(501, "PROOF_UNAVAILABLE")], async (client) => {
      expect(await rejection(client.proof(`0x${"5a".repeat(32)}`))).to.include({
        code: "PROOF_UNAVAILABLE",
        status: 501,
      });
    });
    expect(passed).to.have.length(1);
  });

  it("leaves a pause of more than a minute to its caller, and says how long it is", async () => {
    const passed = await meeting([refusal(429, "RELAYER_BUDGET_SPENT", "3600")], async (client) => {
      const error = await rejection(client.createAsset({ name: "Tomorrow", author: owner.address }));
      expect(error).to.include({ code: "RELAYER_BUDGET_SPENT", retryAfter: 3_600_000 });
    });
    expect(passed).to.have.length(1);
  });

  it("gives each change a key of its own, and takes the caller's", async () => {
    const passed = await meeting([], async (client) => {
      for (const name of ["a", "b"]) await client.createAsset({ name, author: owner.address });
      const options = { idempotencyKey: "order-4711" };
      const body = { name: "Ordered", author: owner.address };
      const first = await client.createAsset(body, options);
      expect(await client.createAsset(body, options)).to.deep.equal(first);
      expect(await rejection(client.createAsset({ ...body, name: "Else" }, options))).to.include({
        code: "IDEMPOTENCY_KEY_REUSED",
      });
    });
    const sent = passed.map(({ key }) => key);
    expect(new Set(sent).size).to.equal(3);
    expect(sent.slice(2)).to.deep.equal(["order-4711", "order-4711", "order-4711"]);
  });

  it("removes a wallet once, though the answer to that was lost, and no other that is not there", async () => {
    const token = () => service.token("dora");
    const users = createClient({ url: service.url, token });
    const { id, serializedValue } = await users.startWallet();
    const signature = await third.signTypedData(JSON.parse(serializedValue));
    await users.confirmWallet(id, { ethereumAddress: third.address, signature });
    await meeting(
      ["answer lost"],
      async (client) => {
        expect(await client.removeWallet(id)).to.equal(null);
      },
      {
        token,
      },
    );
    expect(await users.wallets()).to.deep.equal([]);
    await meeting(
      [refusal(429, "RATE_LIMITED")],
      async (client) => {
        expect(await rejection(client.removeWallet(id))).to.include({ code: "WALLET_NOT_FOUND" });
      },
      { token },
    );
  });

  it("waits for a state through trouble that is longer than the tries of a call", async () => {
    const { value } = await service.post("/assets/", { name: "Waited for", author: other.address });
    const wait = { timeout: 20_000, interval: 10 };
    const passed = await meeting(
      ["lost", page(502), refusal(503, "NODE_UNAVAILABLE"), refusal(429, "RATE_LIMITED")],
      async (client) => {
        const found = await client.waitForState(value.transactionId, "Received", wait);
        expect(found.state).to.equal("Received");
      },
      { retries: 0 },
    );
    expect(passed).to.have.length(5);
    await meeting([page(404)], async (client) => {
      const error = await rejection(client.waitForState(value.transactionId, "Received", wait));
      expect(error).to.be.instanceOf(ConnectionError);
    });
  });

  it("gives up a change after its tries, with what it met last", async () => {
    const passed = await meeting(
      ["lost", page(502), "answer lost", refusal(503, "NOT_READY")],
      async (client) => {
        const error = await rejection(client.createAsset({ name: "Never", author: owner.address }));
        expect(error).to.be.instanceOf(RegistryError).and.include({ code: "NOT_READY" });
      },
      { retries: 3 },
    );
    expect(passed).to.have.length(4);
  });

  it("does not try again what is no trouble: a refusal, or a page that is not the service's", async () => {
    const passed = await meeting([refusal(409, "ALREADY_LINKED"), page(404)], async (client) => {
      const asset = { name: "No", author: owner.address };
      expect(await rejection(client.createAsset(asset))).to.include({ code: "ALREADY_LINKED" });
      expect(await rejection(client.createAsset(asset)))
        .to.be.instanceOf(ConnectionError)
        .and.include({ status: 404 });
    });
    expect(passed).to.have.length(2);
  });
});

describe("the client against a service in trouble", () => {
  let server: Server;
  let received: { method: string | undefined; key: string | undefined }[];
  let answer: RequestListener;
  before(async () => {
    server = createServer((request, response) => {
      received.push({
        method: request.method,
        key: request.headers["idempotency-key"] as string | undefined,
      });
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  beforeEach(() => {
    received = [];
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const client = (retries = 2, timeout = 5_000) =>
    createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, retries, timeout });
  const fail =
    (status: number, code: string): RequestListener =>
    (_request, response) => {
      response.writeHead(status, { "Retry-After": "0" });
      response.end(JSON.stringify({ value: null, error: { code, message: "No." } }));
    };

  it("reads again after a broken connection, and needs no key for it", async () => {
    answer = (_request, response) => response.destroy();
    expect(await rejection(client().asset("0x1"))).to.be.instanceOf(ConnectionError);
    expect(received).to.deep.equal(Array(3).fill({ method: "GET", key: undefined }));
  });

  it("does not repeat what the service refuses", async () => {
    answer = fail(404, "ASSET_NOT_FOUND");
    await rejection(client().asset("0x1"));
    expect(received).to.have.length(1);
  });

  it("reads no more of an answer than any of the service has, and names the URL that gave it", async () => {
    answer = (_request, response) => {
      const piece = Buffer.alloc(1024 * 1024, " ");
      const write = () => {
        while (!response.destroyed && response.write(piece));
      };
      response.on("drain", write);
      write();
    };
    const error = await rejection(client().asset("0x1"));
    expect(error).to.be.instanceOf(ConnectionError).and.to.include({ status: 200 });
    expect(error.message).to.contain("more bytes than any answer of the service has");
    expect((error as ConnectionError).url).to.match(/^http:\/\/127\.0\.0\.1:\d+\/assets\/0x1$/);
    expect(received).to.have.length(1);
  });

  it("reads a body whose stand-in has no stream, and characters in several pieces", async () => {
    const value = { name: "é𝄞" };
    const text = JSON.stringify({ value });
    const bytes = new TextEncoder().encode(text);
    const inBytes = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const bare = { ok: true, status: 200, headers: new Headers(), text: async () => text } as Response;
    for (const response of [bare, new Response(inBytes)]) {
      const fetch = async () => response;
      expect(await createClient({ url: "http://a.example", fetch }).asset("0x1")).to.deep.equal(value);
    }
  });

  it("gives up when time is over, and at once when it is told to", async () => {
    answer = () => {};
    expect((await rejection(client(0, 50).asset("0x1"))).message).to.contain("50 ms");
    const stop = new AbortController();
    const reading = rejection(client(0).asset("0x1", { signal: stop.signal }));
    stop.abort(new Error("enough"));
    expect((await reading).message).to.equal("enough");
  });
});
