import { randomUUID } from "node:crypto";
import { expect } from "chai";
import {
  activateWebhook,
  pauseWebhook,
  removeWebhook,
  rotateSecret,
  updateWebhook,
} from "../../../db/service/webhooks/change.ts";
import { findWebhook, listWebhooks } from "../../../db/service/webhooks/find.ts";
import { insertWebhook } from "../../../db/service/webhooks/insert.ts";
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
    expect(await findWebhook(store.pool, "remove", id)).to.equal(undefined);
  });
});
