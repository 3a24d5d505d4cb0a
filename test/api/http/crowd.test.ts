import { expect } from "chai";
import { inTransaction } from "../../../db/core/pool.ts";
import { lockParent, lockRequest } from "../../../db/service/requests/locks.ts";
import { keys, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { chainFacts } from "../../support/database/chain-facts.ts";
import { eventually } from "../../support/eventually.ts";

/** A crowd before one lock of the database must not hold the connections that everybody needs. */
describe("a crowd that waits for one lock", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());

  /** Holds a lock while `meanwhile` runs, and until then a crowd of calls waits for it. */
  async function behind(
    lock: Parameters<typeof inTransaction>[1],
    call: (nth: number) => Promise<{ status: number }>,
    meanwhile: () => Promise<void>,
  ): Promise<number[]> {
    let answers: Promise<{ status: number }[]> | undefined;
    await inTransaction(api.pool, async (tx) => {
      await lock(tx);
      answers = Promise.all(Array.from({ length: 40 }, (_, nth) => call(nth)));
      await eventually(
        "somebody who waits for the lock",
        async () => (await tx.query("select from pg_locks where not granted")).rowCount ?? 0,
        (waiting) => waiting > 0,
      );
      await meanwhile();
      expect((await tx.query("select from pg_locks where not granted")).rowCount).to.equal(1);
    });
    return ((await answers) ?? []).map(({ status }) => status);
  }

  const others = async () => {
    const { status } = await api.post("/assets/", { name: "Lease", author: owner.address });
    expect(status).to.equal(202);
  };

  it("of a parent of links", async () => {
    const facts = chainFacts(api.pool, api.registry);
    const parent = await facts.asset();
    const children: string[] = [];
    for (let nth = 0; nth < 40; nth += 1) children.push(await facts.asset());
    const statuses = await behind(
      (tx) => lockParent(tx, "tenant-a", parent),
      (nth) => api.post(`/assets/${parent}/links`, { targetAssetIds: [children[nth]] }),
      async () => {
        await others();
        const theirs = { key: keys["tenant-b"] };
        const answer = await api.post(`/assets/${parent}/links`, { targetAssetIds: [children[0]] }, theirs);
        expect(answer.status).to.equal(202);
      },
    );
    expect(new Set(statuses)).to.deep.equal(new Set([202]));
  });

  it("of a request whose hash is reported", async () => {
    const { value } = await api.post("/assets/", { name: "Lease", author: owner.address });
    const statuses = await behind(
      (tx) => lockRequest(tx, value.transactionId),
      (nth) =>
        api.post(`/transactions/${value.transactionId}/submit`, {
          transactionHash: `0x${nth.toString(16).padStart(64, "0")}`,
        }),
      others,
    );
    expect(new Set(statuses)).to.deep.equal(new Set([202]));
  });
});
