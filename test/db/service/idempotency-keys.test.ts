import { createHash } from "node:crypto";
import { expect } from "chai";
import { inTransaction } from "../../../db/core/pool.ts";
import {
  findAnswer,
  type KeyedRequest,
  keepAnswer,
  removeOldAnswers,
} from "../../../db/service/idempotency-keys.ts";
import { useDatabase } from "../rows.ts";

const digest = (text: string) => createHash("sha256").update(text).digest();

describe("kept answers", () => {
  const store = useDatabase();

  const request = (key: string, body = "a"): KeyedRequest => ({
    caller: digest("tenant"),
    operation: "POST /assets/",
    key,
    fingerprint: digest(body),
  });
  const keep = (key: string, body: string) =>
    keepAnswer(store.pool, request(key, body), { status: 202, body });
  const bodyOf = async (key: string) => (await findAnswer(store.pool, request(key)))?.body;
  const age = (key: string, hours: number) =>
    store.pool.query(
      "update service.idempotency_keys set answered_at = now() - make_interval(hours => $2) where key = $1",
      [key, hours],
    );

  it("stay what they were, whatever comes later under the same key", async () => {
    expect(await keep("first", "a")).to.equal(true);
    expect(await keep("first", "b")).to.equal(false);
    expect(await findAnswer(store.pool, request("first"))).to.deep.equal({
      status: 202,
      body: "a",
      fingerprint: digest("a"),
    });
  });

  it("belong to one caller and one operation", async () => {
    await keep("own", "a");
    const mine = request("own");
    for (const other of [{ caller: digest("another") }, { operation: "PATCH /assets/" }, { key: "Own" }]) {
      expect(await findAnswer(store.pool, { ...mine, ...other })).to.equal(undefined);
      expect(await keepAnswer(store.pool, { ...mine, ...other }, { status: 202, body: "b" })).to.equal(true);
    }
  });

  it("are known for 24 hours, and make room for another then", async () => {
    await keep("old", "a");
    await age("old", 23);
    expect(await bodyOf("old")).to.equal("a");
    expect(await keep("old", "b")).to.equal(false);
    await age("old", 24);
    expect(await bodyOf("old")).to.equal(undefined);
    expect(await keep("old", "b")).to.equal(true);
    expect(await bodyOf("old")).to.equal("b");
  });

  it("are not waited for while another transaction has the key in hand", async () => {
    await inTransaction(store.pool, async (tx) => {
      expect(await keepAnswer(tx, request("held"), { status: 202, body: "a" })).to.equal(true);
      expect(await keep("held", "b")).to.equal(false);
      expect(await bodyOf("held")).to.equal(undefined);
    });
    expect(await bodyOf("held")).to.equal("a");
  });

  it("leave nothing of a transaction that is rolled back", async () => {
    await inTransaction(store.pool, async (tx) => {
      await keepAnswer(tx, request("undone"), { status: 202, body: "a" });
      throw new Error("undo");
    }).catch(() => undefined);
    expect(await bodyOf("undone")).to.equal(undefined);
    expect(await keep("undone", "b")).to.equal(true);
  });

  it("are removed when their time is over, the oldest first and no others", async () => {
    await store.pool.query("delete from service.idempotency_keys");
    for (const [key, hours] of Object.entries({ oldest: 50, older: 30, over: 24, young: 23 })) {
      await keep(key, "a");
      await age(key, hours);
    }
    const left = async () =>
      (await store.pool.query("select key from service.idempotency_keys order by key")).rows.map(
        ({ key }) => key,
      );
    expect(await removeOldAnswers(store.pool, 2)).to.equal(2);
    expect(await left()).to.deep.equal(["over", "young"]);
    expect(await removeOldAnswers(store.pool, 2)).to.equal(1);
    expect(await left()).to.deep.equal(["young"]);
  });
});
