import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { limits } from "../../../domain/limits.ts";
import { expectError, nowhere, startApi, type TestApi } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";

/** Whoever waits for a state asks again and again: that must cost no call of a node. */
describe("the state of a transaction", () => {
  let api: TestApi;
  before(async () => {
    api = await startApi({ rpcUrl: nowhere });
  });
  after(() => api.stop());

  const requested = async (): Promise<string> => {
    const { value } = await api.post("/assets/", { name: "Lease", author: owner.address });
    return value.transactionId;
  };

  it("is read while the node is down, by whoever knows the id", async () => {
    const id = await requested();
    expectError(await api.get(`/transactions/${id}`), 503, "NODE_UNAVAILABLE");
    const { status, value } = await api.get(`/transactions/${id}/status`, { key: null });
    expect([status, value.id, value.state]).to.deep.equal([200, id, "Received"]);
    expect(value.history.map((entry: { state: string }) => entry.state)).to.deep.equal(["Received"]);
  });

  it("is read of many at once, without those that are unknown", async () => {
    const ids = [await requested(), await requested()];
    const { status, value, meta } = await api.get(
      `/transactions/status?ids=${[...ids, randomUUID()].join()}`,
      {
        key: null,
      },
    );
    expect(status).to.equal(200);
    expect(meta).to.deep.equal({ size: 2 });
    expect(value.map(({ id }: { id: string }) => id)).to.have.members(ids);
  });

  it("is not read of more than the limit, or of what is no id", async () => {
    const many = Array.from({ length: limits.statuses + 1 }, () => randomUUID()).join();
    for (const ids of [many, "x", `${randomUUID()},`, ",".repeat(2_000)]) {
      expectError(await api.get(`/transactions/status?ids=${ids}`), 400, "INVALID_REQUEST");
    }
  });

  it("of an unknown id is 404", async () => {
    expectError(await api.get(`/transactions/${randomUUID()}/status`), 404, "TRANSACTION_NOT_FOUND");
  });
});
