import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { inTransaction } from "../../../db/core/pool.ts";
import { insertKey, keyDigest } from "../../../db/service/api-keys.ts";
import { createRandom } from "../../simulation/random.ts";
import {
  type Answer,
  type Call,
  expectError,
  fieldsOf,
  keys,
  startApi,
  type TestApi,
} from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { createDatabase } from "../../support/database/postgres.ts";
import { type Delivery, unreliablePostgres } from "../../support/database/unreliable-postgres.ts";
import { type Issuer, startIssuer } from "../../support/issuer.ts";
import { readRaw, sendRaw } from "../../support/raw-http.ts";
import { testSeed } from "../../support/runner/seed.ts";

const lease = { name: "Lease", author: owner.address };
const isReplay = ({ headers }: Answer) => headers.get("idempotency-replayed") === "true";

describe("an Idempotency-Key", () => {
  let api: TestApi;
  let issuer: Issuer;
  before(async () => {
    issuer = await startIssuer();
    api = await startApi({ issuer: issuer.url });
  });
  after(async () => {
    await api.stop();
    await issuer.stop();
  });

  const keyed = (key: string, call: Call = {}): Call => ({ ...call, headers: { "Idempotency-Key": key } });
  const create = (key: string, body: object = lease, call?: Call) =>
    api.post("/assets/", body, keyed(key, call));
  const count = async (table = "requests") =>
    Number((await api.pool.query(`select count(*) as count from service.${table}`)).rows[0]?.count);
  const giveUp = (id: string) =>
    api.pool.query(
      "update service.requests set given_up_at = now(), given_up_reason = 'EXPIRED' where id = $1",
      [id],
    );
  const report = (id: string, key: string, call?: Call) =>
    api.post(`/transactions/${id}/submit`, { transactionHash: `0x${"ab".repeat(32)}` }, keyed(key, call));

  it("is not needed: without one two requests make two assets, and no answer is kept", async () => {
    const [before, kept] = [await count(), await count("idempotency_keys")];
    for (const _ of [1, 2]) expect(isReplay(await api.post("/assets/", lease))).to.equal(false);
    expect(await count()).to.equal(before + 2);
    expect(await count("idempotency_keys")).to.equal(kept);
  });

  it("makes one asset of twenty requests at once, with one answer", async () => {
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create("twenty")));
    for (const [index, answer] of answers.entries()) {
      if (answer.status !== 409) continue;
      expectError(answer, 409, "IDEMPOTENCY_KEY_IN_USE");
      answers[index] = await create("twenty");
    }
    expect(await count()).to.equal(before + 1);
    expect(new Set(answers.map(({ status, value }) => JSON.stringify([status, value]))).size).to.equal(1);
    expect(answers.filter((answer) => !isReplay(answer))).to.have.length(1);
    expect(answers[0]?.status).to.equal(202);
  });

  it("is known to every process of the API", async () => {
    const database = await createDatabase();
    const processes = [await startApi({ database }), await startApi({ database, indexed: false })] as const;
    try {
      const asked = Array.from({ length: 20 }, (_, index) =>
        processes[index % 2 === 0 ? 0 : 1].post("/assets/", lease, keyed("everywhere")),
      );
      const made = (await Promise.all(asked)).filter(({ status }) => status === 202);
      for (const { post } of processes) made.push(await post("/assets/", lease, keyed("everywhere")));
      expect(new Set(made.map(({ value }) => value.id)).size).to.equal(1);
      const { rowCount } = await processes[0].pool.query("select from service.requests");
      expect(rowCount).to.equal(1);
    } finally {
      for (const { stop } of processes) await stop();
      await database.drop();
    }
  });

  it("gets the same answer to the letter, whatever has become of the asset, and is told so", async () => {
    const first = await create("letter");
    expect(isReplay(first)).to.equal(false);
    await giveUp(first.value.transactionId);
    const again = await create("letter");
    expect(isReplay(again)).to.equal(true);
    expect(JSON.stringify(again.value)).to.equal(JSON.stringify(first.value));
    expect(again.status).to.equal(202);
    expect(again.headers.get("x-request-id")).not.to.equal(first.headers.get("x-request-id"));
  });

  it("is refused with another body, which changes nothing", async () => {
    await create("reused");
    const before = await count();
    for (const body of [{ ...lease, name: "Other" }, { ...lease, data: "" }, { name: "Lease" }]) {
      expectError(await create("reused", body), 422, "IDEMPOTENCY_KEY_REUSED");
    }
    expect(await count()).to.equal(before);
  });

  it("is refused at another path of the operation, and is free at another operation", async () => {
    const [a, b] = [await create("path-a"), await create("path-b")].map(({ value }) => value.transactionId);
    expect((await report(a, "path-a")).status).to.equal(202);
    expectError(await report(b, "path-a"), 422, "IDEMPOTENCY_KEY_REUSED");
  });

  it("is each API key's own, and each user's", async () => {
    const [alice, bob] = [await issuer.token({ sub: "alice" }), await issuer.token({ sub: "bob" })];
    const second = "second-key-of-tenant-a-0123456789";
    const made = { id: randomUUID(), tenant: "tenant-a", name: "", digest: keyDigest(second) };
    await insertKey(api.pool, made, "test");
    const callers = [
      {},
      { key: keys["tenant-b"] },
      { key: second },
      { key: null, bearer: alice },
      { key: null, bearer: bob },
    ];
    const ids = [];
    for (const caller of callers) {
      const start = () => api.post("/wallets/", {}, keyed("shared", caller));
      const [first, repeated] =
        "bearer" in caller
          ? [await start(), await start()]
          : [await create("shared", lease, caller), await create("shared", lease, caller)];
      expect(isReplay(first)).to.equal(false);
      expect(isReplay(repeated)).to.equal(true);
      ids.push(first.value.id);
    }
    expect(new Set(ids).size).to.equal(callers.length);
  });

  it("of a caller without credentials is shared by those alone who know the same transaction", async () => {
    const ids = [];
    for (const name of ["a", "b"]) ids.push((await create(`open-${name}`)).value.transactionId);
    for (const id of ids) {
      expect(isReplay(await report(id, "anybody", { key: null }))).to.equal(false);
      expect(isReplay(await report(id, "anybody", { key: null }))).to.equal(true);
    }
  });

  it("gives no answer to who may not ask", async () => {
    await create("closed");
    for (const key of [null, "unknown"])
      expect((await create("closed", lease, { key })).status).to.equal(401);
  });

  it("has up to 255 visible characters, in quotation marks or without", async () => {
    const longest = "k".repeat(255);
    const { value } = await create(longest);
    const quoted = await create(`"${longest}"`);
    expect(isReplay(quoted)).to.equal(true);
    expect(quoted.value.id).to.equal(value.id);
    await create('"a \\"word\\""');
    expect(isReplay(await create('"a \\"word\\""'))).to.equal(true);

    const before = await count();
    for (const wrong of [
      "k".repeat(256),
      `"${"k".repeat(256)}"`,
      "",
      '""',
      '"open',
      "two words",
      "é",
      '"a\\b"',
    ]) {
      const answer = await create(wrong);
      expectError(answer, 400, "INVALID_REQUEST");
      expect(fieldsOf(answer), wrong).to.deep.equal(["Idempotency-Key"]);
    }
    expect(await count()).to.equal(before);
  });

  it("is refused where it is sent twice", async () => {
    const body = JSON.stringify(lease);
    const head = `POST /assets/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-API-KEY: ${keys["tenant-a"]}\r\n`;
    const both = "Idempotency-Key: a\r\nIdempotency-Key: a\r\n";
    const rest = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect(readRaw(await sendRaw(api.port, head + both + rest)).status).to.equal(400);
  });

  it("means nothing to a read or a removal", async () => {
    const { value } = await create("read");
    await giveUp(value.transactionId);
    const read = await api.get(`/assets/${value.id}`, keyed("read"));
    expect(read.value.state).to.equal("RevokedByTxServer");
    expect((await api.get("/assets/", keyed("k".repeat(256)))).status).to.equal(200);
  });

  it("is free again after 24 hours", async () => {
    const first = await create("old");
    await api.pool.query(
      "update service.idempotency_keys set answered_at = now() - interval '24 hours' where key = 'old'",
    );
    const second = await create("old", { ...lease, name: "Another" });
    expect(second.status).to.equal(202);
    expect(second.value.id).not.to.equal(first.value.id);
    expect((await create("old", { ...lease, name: "Another" })).value.id).to.equal(second.value.id);
  });

  it("that another request has in hand is told so, and is free when that one comes to nothing", async () => {
    const before = await count();
    await inTransaction(api.pool, async (tx) => {
      await tx.query(
        `select pg_advisory_xact_lock(hashtextextended(concat_ws(' ', caller, 'POST /assets/', 'held'), 0))
         from service.idempotency_keys`,
      );
      const answer = await create("held");
      expectError(answer, 409, "IDEMPOTENCY_KEY_IN_USE");
      expect(answer.headers.get("retry-after")).to.equal("1");
      throw new Error("comes to nothing");
    }).catch(({ message }: Error) => expect(message).to.equal("comes to nothing"));
    expect(await count()).to.equal(before);
    expect(isReplay(await create("held"))).to.equal(false);
    expect(await count()).to.equal(before + 1);
  });

  it("keeps a refusal that only another request can fix", async () => {
    const { transactionId } = (await create("closing")).value;
    await giveUp(transactionId);
    const refused = await report(transactionId, "late");
    expectError(refused, 409, "TRANSACTION_CLOSED");
    await api.pool.query(
      "update service.requests set given_up_at = null, given_up_reason = null where id = $1",
      [transactionId],
    );
    const again = await report(transactionId, "late");
    expect([isReplay(refused), isReplay(again)]).to.deep.equal([false, true]);
    expect(again.error).to.deep.equal(refused.error);
    expect((await report(transactionId, "in-time")).status).to.equal(202);
  });

  it("keeps no refusal that may end by itself, and none from before the request was understood", async () => {
    const unknown = `/assets/0x${"ab".repeat(32)}/links`;
    const refusals: [number, () => Promise<Answer>][] = [
      [400, () => create("unkept", { name: "" })],
      [400, () => api.post("/assets/", "{", keyed("unkept"))],
      [415, () => api.call("POST", "/assets/", { raw: "{}", ...keyed("unkept") })],
      [401, () => create("unkept", lease, { key: null })],
      [404, () => api.post(unknown, { targetAssetIds: [`0x${"cd".repeat(32)}`] }, keyed("unkept"))],
    ];
    const kept = await count("idempotency_keys");
    for (const [status, ask] of refusals) {
      const answers = [await ask(), await ask()];
      expect(answers.map((answer) => [answer.status, isReplay(answer)])).to.deep.equal([
        [status, false],
        [status, false],
      ]);
    }
    expect(await count("idempotency_keys")).to.equal(kept);
    expect((await create("unkept")).status).to.equal(202);
  });
});

describe("an Idempotency-Key while connections to the database break", () => {
  it("makes one asset however often the request is sent again", async () => {
    const seed = testSeed;
    const random = createRandom(seed);
    let isBad = false;
    const deliver = (): Delivery =>
      isBad && random.chance(0.05) ? random.pick(["lost", "answer lost"] as const) : "arrives";
    const database = await createDatabase();
    const way = await unreliablePostgres(database.url, deliver);
    const api = await startApi({ database: { ...database, url: way.url } });
    try {
      let failures = 0;
      const ids = new Set<string>();
      isBad = true;
      for (let index = 0; index < 20; index += 1) {
        const call = { headers: { "Idempotency-Key": `${index}` } };
        let answer = await api.post("/assets/", { ...lease, name: `${index}` }, call);
        while (answer.status !== 202) {
          expect(answer.status, `seed ${seed}`).to.be.oneOf([409, 500, 503]);
          failures += 1;
          answer = await api.post("/assets/", { ...lease, name: `${index}` }, call);
        }
        ids.add(answer.value.id);
      }
      isBad = false;
      const { rows } = await api.pool.query<{ id: string }>(
        "select '0x' || encode(asset_id, 'hex') as id from service.requests",
      );
      expect(failures, `seed ${seed}`).to.be.above(0);
      expect(
        rows.map(({ id }) => id),
        `seed ${seed}`,
      ).to.have.members([...ids]);
    } finally {
      isBad = false;
      await api.stop();
      await way.cut();
      await database.drop();
    }
  });
});
