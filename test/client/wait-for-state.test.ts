import { expect } from "chai";
import {
  ArgumentError,
  ConnectionError,
  createClient,
  RegistryError,
  StateError,
  type TransactionStatus,
} from "../../client/src/client.ts";
import { createStatusPoller } from "../../client/src/status-poller.ts";
import type { AssetState } from "../../domain/request/state.ts";
import { keys } from "../support/api.ts";
import { type Fault, refusal, startBadWay } from "../support/bad-way.ts";
import { other, owner } from "../support/chain/accounts.ts";
import { type Service, startService } from "../support/service.ts";

type Way = Awaited<ReturnType<typeof startBadWay>>;

async function rejection(promise: Promise<unknown>): Promise<Error> {
  return await promise.then(
    () => expect.fail("it succeeded"),
    (error: Error) => error,
  );
}

describe("waitForState", () => {
  let service: Service;
  const ways: Way[] = [];
  before(async () => {
    service = await startService();
  });
  afterEach(async () => {
    await Promise.all(ways.splice(0).map((way) => way.stop()));
  });
  after(() => service.stop());

  async function clientOn(faults: Fault[] = []) {
    const way = await startBadWay(service.url, faults);
    ways.push(way);
    return { way, client: createClient({ url: way.url, apiKey: keys["tenant-a"] }) };
  }
  async function newRequest(author = owner.address): Promise<string> {
    const { value } = await service.post("/assets/", { name: "Waited for", author });
    return value.transactionId;
  }

  it("takes a state that lies behind for reached", async () => {
    const id = await newRequest();
    const { client } = await clientOn();
    await service.carryOut(id);
    for (const goal of ["Received", "TxSignatureSubmitted", "Submitted", "Committed"] as const) {
      expect((await client.waitForState(id, goal, { timeout: 5_000 })).state).to.equal("Committed");
    }
  });

  it("ends where the state can no longer come", async () => {
    const id = await newRequest(other.address);
    const { client } = await clientOn();
    const { refusal: toSign } = await client.transaction(id);
    const waiting = rejection(client.waitForState(id, "Committed", { interval: 10 }));
    await client.refuse(id, await other.signTypedData(toSign as never));
    expect(await waiting)
      .to.be.instanceOf(StateError)
      .and.include({ state: "RevokedByUser" });
    expect((await client.waitForState(id, "RevokedByUser")).reason).to.equal("REFUSED");
    for (const goal of ["Received", "Confirmed", "RevokedByTxServer", "RevokedByBlockchain"] as const) {
      expect((await rejection(client.waitForState(id, goal))).message, goal).to.contain("RevokedByUser");
    }
  });

  for (const [name, fault] of [
    ["a pause of 5 seconds", refusal(429, "RATE_LIMITED", "5")],
    ["a pause of an hour", refusal(503, "NOT_READY", "3600")],
    ["a pause until a time", refusal(429, "RATE_LIMITED", new Date(Date.now() + 60_000).toUTCString())],
    ["broken connections", "lost"],
  ] as const) {
    it(`ends in time whatever it meets: ${name}`, async () => {
      const id = await newRequest();
      const { client } = await clientOn(Array(50).fill(fault));
      const started = performance.now();
      const error = await rejection(client.waitForState(id, "Confirmed", { timeout: 400, interval: 50 }));
      expect(performance.now() - started).to.be.within(390, 2_000);
      expect(error).to.be.instanceOf(fault === "lost" ? ConnectionError : RegistryError);
    });
  }

  it("ends in time where no answer comes at all, and with the state where one came before", async () => {
    const id = await newRequest();
    const { client, way } = await clientOn(["never answered"]);
    const silent = await rejection(client.waitForState(id, "Committed", { timeout: 300 }));
    expect(silent).to.be.instanceOf(ConnectionError);
    expect(silent.message).to.contain("within 300 ms");
    way.faults.push("passes", "never answered");
    const late = await rejection(client.waitForState(id, "Committed", { timeout: 600, interval: 10 }));
    expect(late).to.be.instanceOf(StateError).and.include({ state: "Received" });
  });

  it("ends at once with its signal, and leaves the others waiting", async () => {
    const id = await newRequest();
    const { client } = await clientOn();
    const stop = new AbortController();
    const stopped = rejection(client.waitForState(id, "Committed", { signal: stop.signal }));
    const going = client.waitForState(id, "Committed", { interval: 20 });
    stop.abort(new Error("enough"));
    expect((await stopped).message).to.equal("enough");
    await service.carryOut(id);
    expect((await going).state).to.equal("Committed");
    const already = rejection(client.waitForState(id, "Committed", { signal: AbortSignal.abort("no") }));
    expect(await already).to.equal("no");
  });

  it("asks for many at once: five hundred waits take ten reads a second at most", async () => {
    const ids = await Promise.all(Array.from({ length: 125 }, () => newRequest()));
    const { client, way } = await clientOn();
    const waits = (goal: AssetState, timeout: number) =>
      Promise.all(
        [...ids, ...ids, ...ids, ...ids].map((id) =>
          client.waitForState(id, goal, { timeout, interval: 100 }).then(
            ({ state }) => state,
            (error: StateError) => error.state,
          ),
        ),
      );
    expect(new Set(await waits("Received", 60_000))).to.deep.equal(new Set(["Received"]));
    expect(way.passed.map(({ path }) => path.split("?")[0])).to.deep.equal(
      Array(2).fill("/transactions/status"),
    );
    way.passed.length = 0;
    const started = performance.now();
    expect(new Set(await waits("Committed", 1_500))).to.deep.equal(new Set(["Received"]));
    expect(way.passed.length).to.be.within(4, 1 + (performance.now() - started) / 100);
  });

  it("makes all wait as long as Retry-After says, those that begin meanwhile too", async () => {
    const [first, second] = [await newRequest(), await newRequest()];
    const { client, way } = await clientOn([refusal(429, "RATE_LIMITED", "1")]);
    const one = client.waitForState(first, "Received");
    await way.first;
    const two = client.waitForState(second, "Received");
    await Promise.all([one, two]);
    expect(way.passed).to.have.length(2);
    expect((way.passed[1]?.at ?? 0) - (way.passed[0]?.at ?? 0)).to.be.at.least(990);
  });

  it("looks soon for those who begin in a pause of an hour that one answer asked for", async () => {
    const [first, second] = [await newRequest(), await newRequest()];
    const { client, way } = await clientOn([refusal(503, "NOT_READY", "3600")]);
    const one = client.waitForState(first, "Received");
    await way.first;
    const started = performance.now();
    const two = client.waitForState(second, "Received", { timeout: 6_000 });
    await Promise.all([one, two]);
    expect(performance.now() - started).to.be.within(1_000, 6_000);
    expect(way.passed).to.have.length(2);
  });

  it("pauses for the longest time at most, whatever pause one answer asks for", async () => {
    const asked = {
      status: 429,
      code: "RATE_LIMITED",
      message: "No.",
      requestId: undefined,
    } as const;
    for (const retryAfter of [3_600_000, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY]) {
      const looks: number[] = [];
      const watch = createStatusPoller(
        async ([id = ""]) => {
          looks.push(performance.now());
          if (looks.length === 1) throw new RegistryError({ ...asked, details: [], retryAfter });
          return [{ id, state: "Received" } as TransactionStatus];
        },
        { longest: 400 },
      );
      await new Promise<void>((resolve, reject) => {
        const end = watch("00000000-0000-4000-8000-000000000000", {
          interval: 10,
          onStatus: () => resolve(end()),
          onRetry: () => undefined,
          onError: reject,
        });
      });
      expect((looks[1] ?? 0) - (looks[0] ?? 0)).to.be.within(390, 3_000);
    }
  });

  it("ends for an id that is unknown or none, and for no other beside it", async () => {
    const id = await newRequest();
    const { client } = await clientOn();
    const unknown = "00000000-0000-4000-8000-000000000000";
    const [found, ...missing] = await Promise.all([
      client.waitForState(id.toUpperCase(), "Received"),
      ...[unknown, "nonsense", "a/b?c"].map((bad) => rejection(client.waitForState(bad, "Received"))),
    ]);
    expect(found.id).to.equal(id);
    for (const error of missing) expect(error).to.include({ code: "TRANSACTION_NOT_FOUND" });
  });

  it("refuses arguments that cannot be meant", async () => {
    const { client, way } = await clientOn();
    for (const wait of [
      client.waitForState("x", "Done" as AssetState),
      client.waitForState("x", "Committed", { timeout: Number.NaN }),
      client.waitForState("x", "Committed", { interval: -1 }),
      client.waitForState("x", "Committed", { timeout: "5000" as never }),
      client.waitForState(5 as never, "Committed"),
    ]) {
      expect(await rejection(wait)).to.be.instanceOf(ArgumentError);
    }
    expect(way.passed).to.have.length(0);
    const id = await newRequest();
    expect((await client.waitForState(id, "Received", { timeout: Number.POSITIVE_INFINITY })).id).to.equal(
      id,
    );
  });
});
