import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { inTransaction } from "../../../db/core/pool.ts";
import { queueEvents } from "../../../db/service/deliveries/queueing.ts";
import { deleteRemovedWebhooks } from "../../../db/service/webhooks/remove.ts";
import { expectError, fieldsOf, keys, startApi, type TestApi } from "../../support/api.ts";

/** The list of deliveries and what asks for more of them; nothing is sent here. */
describe("the deliveries of a webhook", () => {
  let api: TestApi;
  let path: string;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());
  beforeEach(async () => {
    await api.pool.query("delete from service.webhooks");
    path = await register();
  });

  const theirs = { key: keys["tenant-b"] };
  const register = async () =>
    `/webhooks/${(await api.post("/webhooks/", { url: "https://receiver.example/" })).value.id}`;

  // biome-ignore lint/suspicious/noExplicitAny: as every answer of a test
  const list = async (query = ""): Promise<any> => (await api.get(`${path}/deliveries/${query}`)).value;

  /** Logs events of the tenant, and queues them. @returns their sequence numbers */
  async function happen(count: number): Promise<number[]> {
    await api.pool.query(
      `insert into service.events (kind, tenant) select 'request.Received', 'tenant-a' from generate_series(1, $1::int)`,
      [count],
    );
    await queue();
    const { rows } = await api.pool.query(
      "select sequence from (select sequence from service.events order by 1 desc limit $1) newest order by 1",
      [count],
    );
    return rows.map(({ sequence }) => sequence);
  }

  async function queue(): Promise<void> {
    while ((await inTransaction(api.pool, queueEvents))?.hasMore) {}
  }

  it("are listed newest first, page by page, and none twice", async () => {
    const sequences = await happen(5);
    const seen: number[] = [];
    let query = "?size=2";
    for (;;) {
      const { value, meta } = await api.get(`${path}/deliveries/${query}`);
      seen.push(...value.map(({ sequence }: { sequence: number }) => sequence));
      expect(meta?.size).to.equal(value.length);
      if (meta?.next === undefined) break;
      query = `?size=2&cursor=${meta.next}`;
    }
    expect(seen).to.deep.equal(sequences.toReversed());
    expect((await list())[0]).to.include({ kind: "request.Received", state: "waiting" });
  });

  it("are filtered by state", async () => {
    const [first] = await happen(3);
    await api.pool.query(
      "update service.deliveries set state = 'delivered', ended_at = now() where sequence = $1",
      [first],
    );
    expect((await list("?state=delivered")).map((one: { sequence: number }) => one.sequence)).to.deep.equal([
      first,
    ]);
    expect(await list("?state=waiting")).to.have.lengthOf(2);
    expect(await list("?state=expired")).to.deep.equal([]);
  });

  it("show each attempt with what was answered", async () => {
    await happen(1);
    await api.pool.query(
      `insert into service.delivery_attempts (delivery, at, duration, status, problem, message, answer)
       select ordinal, timestamptz '2026-11-28T02:11:43.612Z', 31, 500, 'NOT_ACCEPTED', 'It answered 500.', 'down'
       from service.deliveries
       union all select ordinal, timestamptz '2026-11-28T02:11:49Z', 12, 204, null, null, '' from service.deliveries`,
    );
    expect((await list())[0].attempts).to.deep.equal([
      {
        at: "2026-11-28T02:11:43.612+00:00",
        durationMs: 31,
        status: 500,
        problem: "NOT_ACCEPTED",
        message: "It answered 500.",
        answer: "down",
      },
      { at: "2026-11-28T02:11:49.000+00:00", durationMs: 12, status: 204 },
    ]);
  });

  it("begin with a test, which is an event of its own", async () => {
    const { status, value } = await api.post(`${path}/test`);
    expect(status).to.equal(202);
    expect(value).to.include({ kind: "webhook.test", state: "waiting" });
    expect(value).to.not.have.property("sequence");
    expect(await list()).to.deep.equal([value]);
    const { rows } = await api.pool.query("select from service.events where id = $1", [value.eventId]);
    expect(rows).to.deep.equal([]);
  });

  it("are sent again one by one, as deliveries of their own", async () => {
    await happen(1);
    const [first] = await list();
    const { status, value } = await api.post(`${path}/deliveries/${first.id}/redeliver`);
    expect(status).to.equal(202);
    expect(value).to.include({ eventId: first.eventId, sequence: first.sequence, state: "waiting" });
    expect(value.id).to.not.equal(first.id);
    expect(await list()).to.deep.equal([value, first]);
  });

  it("are sent again from a position on", async () => {
    const sequences = await happen(4);
    const [after = 0, ...later] = sequences;
    const { status, value } = await api.post(`${path}/redeliver`, { after });
    expect(status).to.equal(202);
    expect(value).to.deep.equal({ after });
    await queue();
    const again = (await list()).map((one: { sequence: number }) => one.sequence);
    expect(again).to.deep.equal([...later.toReversed(), ...sequences.toReversed()]);
  });

  it("are not sent from a position that the log does not hold", async () => {
    const [last = 0] = (await happen(2)).slice(-1);
    expectError(await api.post(`${path}/redeliver`, { after: last + 1 }), 409, "EVENT_AHEAD");
    await api.pool.query(
      "begin; alter table service.events disable trigger user; " +
        `delete from service.events where sequence < ${last}; alter table service.events enable trigger user; commit`,
    );
    const gone = await api.post(`${path}/redeliver`, { after: last - 2 });
    expectError(gone, 410, "EVENTS_GONE");
    expect(gone.error?.message).to.include(`after=${last - 1}`);
    expect((await api.post(`${path}/redeliver`, { after: last - 1 })).status).to.equal(202);
  });

  it("whose event has left the log are not sent again", async () => {
    const [sequence] = await happen(1);
    const [first] = await list();
    await api.pool.query(
      "begin; alter table service.events disable trigger user; " +
        `delete from service.events where sequence = ${sequence}; alter table service.events enable trigger user; commit`,
    );
    expectError(await api.post(`${path}/deliveries/${first.id}/redeliver`), 404, "DELIVERY_NOT_FOUND");
  });

  for (const [what, body, message] of [
    ["no position", {}, "after is missing."],
    ["a text", { after: "1" }, "after must be a sequence number: a whole number from 0."],
    ["a fraction", { after: 1.5 }, "after must be a sequence number: a whole number from 0."],
    ["one below 0", { after: -1 }, "after must be a sequence number: a whole number from 0."],
    ["one beyond all numbers", { after: 2 ** 60 }, "after must be a sequence number: a whole number from 0."],
    ["nothing", { after: null }, "after must be a sequence number: a whole number from 0."],
  ] as const) {
    it(`are not sent from ${what} on`, async () => {
      const answer = await api.post(`${path}/redeliver`, body);
      expectError(answer, 400, "INVALID_REQUEST");
      expect(answer.error?.message).to.equal(message);
    });
  }

  it("are refused by name of parameter, and with the cursor of another webhook or state", async () => {
    await happen(2);
    for (const [query, field] of [
      ["?state=Waiting", "state"],
      ["?state=waiting&state=waiting", "state"],
      ["?size=0", "size"],
      ["?size=201", "size"],
      ["?page=1", "page"],
      ["?cursor=AAAA", "cursor"],
    ] as const) {
      const answer = await api.get(`${path}/deliveries/${query}`);
      expectError(answer, 400, "INVALID_REQUEST");
      expect(fieldsOf(answer)).to.deep.equal([field]);
    }
    const { meta } = await api.get(`${path}/deliveries/?size=1`);
    const next = `cursor=${meta?.next}`;
    expect((await api.get(`${path}/deliveries/?${next}`)).status).to.equal(200);
    for (const other of [
      `${path}/deliveries/?state=waiting&${next}`,
      `${await register()}/deliveries/?${next}`,
    ]) {
      expectError(await api.get(other), 400, "INVALID_REQUEST");
    }
  });

  it("are not added one by one where ten thousand wait", async () => {
    await happen(1);
    const [first] = await list();
    await api.pool.query(
      `insert into service.deliveries (webhook_id, event_id, kind, subject)
       select webhook_id, event_id, 'webhook.test', subject from service.deliveries, generate_series(1, 9999)`,
    );
    const asked = () =>
      Promise.all([api.post(`${path}/test`), api.post(`${path}/deliveries/${first.id}/redeliver`)]);
    for (const answer of await asked()) expectError(answer, 409, "TOO_MANY_DELIVERIES");
    const all = { after: first.sequence - 1 };
    expect((await api.post(`${path}/redeliver`, all)).status).to.equal(202);
    await api.pool.query(
      "update service.deliveries set state = 'delivered', ended_at = now() where kind = 'webhook.test'",
    );
    for (const answer of await asked()) expect(answer.status).to.equal(202);
  });

  for (const state of ["paused", "ended"] as const) {
    it(`are not asked for while it is ${state}`, async () => {
      await happen(1);
      const [first] = await list();
      await api.pool.query("update service.webhooks set state = $1, reason = 'failing'", [state]);
      for (const answer of [
        await api.post(`${path}/test`),
        await api.post(`${path}/redeliver`, { after: 0 }),
        await api.post(`${path}/deliveries/${first.id}/redeliver`),
      ]) {
        expectError(answer, 409, "WEBHOOK_NOT_ACTIVE");
        expect(answer.error?.message).to.include(`The webhook is ${state}.`);
      }
      expect(await list()).to.deep.equal([first]);
    });
  }

  it("do not exist for another tenant, or under another webhook", async () => {
    await happen(1);
    const [first] = await list();
    for (const answer of [
      await api.get(`${path}/deliveries/`, theirs),
      await api.post(`${path}/test`, undefined, theirs),
      await api.post(`${path}/redeliver`, { after: 0 }, theirs),
      await api.post(`${path}/deliveries/${first.id}/redeliver`, undefined, theirs),
    ]) {
      expectError(answer, 404, "WEBHOOK_NOT_FOUND");
    }
    for (const other of [
      await api.post(`${await register()}/deliveries/${first.id}/redeliver`),
      await api.post(`${path}/deliveries/${randomUUID()}/redeliver`),
    ]) {
      expectError(other, 404, "DELIVERY_NOT_FOUND");
    }
    expect(await list()).to.deep.equal([first]);
  });

  it("go with their webhook", async () => {
    await happen(2);
    await api.remove(path);
    expectError(await api.get(`${path}/deliveries/`), 404, "WEBHOOK_NOT_FOUND");
    expect(await deleteRemovedWebhooks(api.pool, 1_000)).to.equal(0);
    expect((await api.pool.query("select from service.deliveries")).rows).to.deep.equal([]);
  });
});
