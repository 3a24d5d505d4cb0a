import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { type Answer, expectError, keys } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { eventually } from "../../support/eventually.ts";
import { type Service, startService } from "../../support/service.ts";

const most = 8;

describe("requests that wait for their authors", () => {
  let service: Service;
  before(async () => {
    service = await startService({ environment: { MAX_OPEN_REQUESTS: String(most) } });
  });
  after(() => service.stop());

  const create = (key: string = keys["tenant-a"]) =>
    service.post("/assets/", { name: "Lease", author: owner.address }, { key });

  /** Waits until the API counts anew. */
  const nextCount = () => sleep(1_100);

  async function fill(key?: string): Promise<Answer[]> {
    const made: Answer[] = [];
    for (;;) {
      const answer = await create(key);
      if (answer.status !== 202) {
        expectError(answer, 429, "TOO_MANY_OPEN_REQUESTS");
        return made;
      }
      made.push(answer);
    }
  }

  async function expireAll(): Promise<void> {
    await service.pool.query("update service.requests set expires_at = now() where noted_state = 'Received'");
    const open = () => service.get("/assets/?state=Received");
    await eventually("no open requests", open, ({ value }) => value.length === 0);
    await nextCount();
  }

  it("are as many as are allowed, for each tenant, and a refused one is not stored", async () => {
    expect(await fill()).to.have.length(most);
    expect((await service.get("/assets/")).value).to.have.length(most);
    expect((await create(keys["tenant-b"])).status).to.equal(202);
    // Nothing is in the way of those that only read.
    expect((await service.get("/transactions/")).value).to.have.length(most);
    await expireAll();
  });

  it("leave room for the repetition of a request that was taken, by its Idempotency-Key", async () => {
    const call = { headers: { "Idempotency-Key": "taken" } };
    const send = () => service.post("/assets/", { name: "Lease", author: owner.address }, call);
    const first = await send();
    expect(await fill()).to.have.length(most - 1);
    const again = await send();
    expect([again.status, again.value?.id]).to.deep.equal([202, first.value.id]);
    await expireAll();
  });

  it("make room when they expire, as RevokedByTxServer, and when they are signed", async () => {
    const [first, second] = await fill();
    const id = second?.value.transactionId;
    const { value } = await service.get(`/transactions/${id}`);
    await service.approve(id);
    await nextCount();
    expect(value.state).to.equal("Received");
    expect(await fill()).to.have.length(1);
    await expireAll();
    const status = (await service.get(`/assets/${first?.value.id}/status`)).value;
    expect(status).to.include({ state: "RevokedByTxServer", reason: "EXPIRED" });
    expect(await fill()).to.have.length(most);
    await service.rig.mine();
    await service.rig.reach(id, "Committed");
    await expireAll();
  });

  it("count changes of links too, but not the same change asked for again", async () => {
    const [parent, child] = [await service.createAsset(), await service.createAsset()];
    const link = (targetAssetIds: string[], method = "POST") =>
      service.call(method, `/assets/${parent.id}/links`, { body: { targetAssetIds } });
    await nextCount();
    const { value } = await link([child.id]);
    expect(await fill()).to.have.length(most - 1);
    expect((await link([child.id])).value.transactionId).to.equal(value.transactionId);
    const third = await service.get("/assets/?state=Committed");
    const other = (third.value as { id: string }[]).find(({ id }) => ![parent.id, child.id].includes(id));
    expectError(await link([other?.id ?? ""]), 429, "TOO_MANY_OPEN_REQUESTS");
    await expireAll();
  });

  it("are not many more where many ask at once: at most those under way while they are counted", async () => {
    const answers = await Promise.all(Array.from({ length: 5 * most }, () => create()));
    const underWay = 10;
    expect(answers.filter(({ status }) => status === 202).length).to.be.within(most, most + underWay);
    for (const answer of answers.filter(({ status }) => status !== 202))
      expectError(answer, 429, "TOO_MANY_OPEN_REQUESTS");
  });
});
