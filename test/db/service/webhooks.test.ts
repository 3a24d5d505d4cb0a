import { randomUUID } from "node:crypto";
import { expect } from "chai";
import {
  activateWebhook,
  pauseWebhook,
  rotateSecret,
  updateWebhook,
} from "../../../db/service/webhooks/change.ts";
import { findWebhook, listWebhooks } from "../../../db/service/webhooks/find.ts";
import { insertWebhook } from "../../../db/service/webhooks/insert.ts";
import { deleteRemovedWebhooks, removeWebhook } from "../../../db/service/webhooks/remove.ts";
import type { Webhook } from "../../../db/service/webhooks/webhook.ts";
import { useDatabase } from "../rows.ts";

describe("the webhooks of tenants", () => {
  const store = useDatabase();

  const insert = (tenant: string, most?: number): Promise<Webhook | undefined> =>
    store.write((tx) =>
      insertWebhook(
        tx,
        {
          id: randomUUID(),
          tenant,
          url: "https://receiver.example/events",
          description: "",
          kinds: ["request.Confirmed"],
          assetId: undefined,
          secret: "whsec_first",
        },
        most,
      ),
    );

  async function inserted(tenant: string): Promise<Webhook> {
    const webhook = await insert(tenant);
    if (webhook === undefined) throw new Error("there are too many");
    return webhook;
  }

  /** Writes an event of nobody. @returns its sequence number */
  async function log(): Promise<number> {
    await store.pool.query("insert into service.events (kind) values ('asset.registered')");
    const { rows } = await store.pool.query<{ end: number }>(
      'select max(sequence) as "end" from service.events',
    );
    return rows[0]?.end ?? 0;
  }

  it("are found by their tenant only, in the order of their making", async () => {
    const made = [await inserted("acme"), await inserted("acme")];
    const [first] = made;
    expect(await listWebhooks(store.pool, "acme")).to.deep.equal(made);
    expect(await listWebhooks(store.pool, "globex")).to.deep.equal([]);
    expect(await findWebhook(store.pool, "acme", first?.id ?? "")).to.deep.equal(first);
    expect(await findWebhook(store.pool, "globex", first?.id ?? "")).to.equal(undefined);
  });

  it("begin at the end of the log", async () => {
    const end = await log();
    expect((await inserted("start")).afterSequence).to.equal(end);
  });

  it("are no more than allowed, however many are made at once", async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => insert("crowd", 3)));
    expect(made.filter((webhook) => webhook !== undefined)).to.have.lengthOf(3);
    expect(await listWebhooks(store.pool, "crowd")).to.have.lengthOf(3);
  });

  it("change what they are sent, and keep the rest", async () => {
    const webhook = await inserted("change");
    const to = {
      url: "https://other.example/",
      description: "new",
      kinds: ["link.added" as const],
      assetId: `0x${"ab".repeat(32)}` as const,
    };
    const changed = await store.write((tx) => updateWebhook(tx, webhook.id, to));
    expect(changed).to.deep.equal({ ...webhook, ...to, updatedAt: changed.updatedAt });
    expect(changed.updatedAt).to.be.above(webhook.updatedAt);
  });

  it("go on where they were paused, and begin anew where they had ended", async () => {
    const webhook = await inserted("pause");
    const paused = await store.write((tx) => pauseWebhook(tx, webhook.id));
    expect([paused.state, paused.reason]).to.deep.equal(["paused", "asked"]);
    const end = await log();
    const active = await store.write((tx) => activateWebhook(tx, webhook.id));
    expect(active).to.deep.equal({ ...webhook, updatedAt: active.updatedAt });
    await store.pool.query("update service.webhooks set state = 'ended', reason = 'gone' where id = $1", [
      webhook.id,
    ]);
    const anew = await store.write((tx) => activateWebhook(tx, webhook.id));
    expect([anew.state, anew.afterSequence]).to.deep.equal(["active", end]);
  });

  it("have two secrets at most", async () => {
    const { id } = await inserted("rotate");
    const before = Date.now();
    const once = await store.write((tx) => rotateSecret(tx, id, "whsec_second", 24));
    expect([once.secret, once.previousSecret]).to.deep.equal(["whsec_second", "whsec_first"]);
    expect(once.previousUntil?.getTime()).to.be.within(before + 86_390_000, Date.now() + 86_410_000);
    const twice = await store.write((tx) => rotateSecret(tx, id, "whsec_third", 24));
    expect([twice.secret, twice.previousSecret]).to.deep.equal(["whsec_third", "whsec_second"]);
  });

  it("are removed by their tenant only", async () => {
    const { id } = await inserted("remove");
    expect(await store.write((tx) => removeWebhook(tx, "acme", id))).to.equal(false);
    expect(await store.write((tx) => removeWebhook(tx, "remove", id))).to.equal(true);
    expect(await store.write((tx) => removeWebhook(tx, "remove", id)), "once").to.equal(false);
    expect(await findWebhook(store.pool, "remove", id)).to.equal(undefined);
    expect(await listWebhooks(store.pool, "remove")).to.deep.equal([]);
  });

  it("make room when they are removed, and leave nothing behind, however much there is", async () => {
    const { id } = await inserted("room");
    await store.pool.query(
      `insert into service.deliveries (webhook_id, subject, event_id, sequence, kind)
       select $1, sha256(n::text::bytea), gen_random_uuid(), n, 'asset.registered' from generate_series(1, 250) n`,
      [id],
    );
    await store.pool.query(
      `insert into service.delivery_lanes (webhook_id, subject, waiting)
       select webhook_id, subject, 1 from service.deliveries where webhook_id = $1`,
      [id],
    );
    await store.pool.query(
      `insert into service.delivery_attempts (delivery, at, duration, answer)
       select ordinal, now(), 1, '' from service.deliveries where webhook_id = $1`,
      [id],
    );
    const other = await inserted("room");
    expect(await insert("room", 2)).to.equal(undefined);
    await store.write((tx) => removeWebhook(tx, "room", id));
    expect(await insert("room", 2)).to.include({ state: "active" });
    let batches = 1;
    while ((await deleteRemovedWebhooks(store.pool, 100)) === 100) batches += 1;
    expect(batches).to.equal(5);
    const { rows } = await store.pool.query(
      `select (select count(*) from service.webhooks where state = 'removed') as webhooks,
         (select count(*) from service.deliveries) as deliveries,
         (select count(*) from service.delivery_lanes) as lanes,
         (select count(*) from service.delivery_attempts) as attempts,
         (select count(*) from service.webhook_progress where webhook_id = $1) as progress`,
      [id],
    );
    expect(rows[0]).to.deep.equal({ webhooks: 0, deliveries: 0, lanes: 0, attempts: 0, progress: 0 });
    expect(await findWebhook(store.pool, "room", other.id)).to.include({ state: "active" });
  });
});
