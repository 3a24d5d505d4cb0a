import { expect } from "chai";
import { kindsOf } from "../../../api/events/kinds.ts";
import { eventKinds } from "../../../domain/events/kinds.ts";
import { expectError, fieldsOf, startApi, type TestApi } from "../../support/api.ts";

describe("kinds of events", () => {
  it("of a group are all that begin with its name, each once, in the order of the table", () => {
    const of = (group: string) => eventKinds.filter((kind) => kind.startsWith(`${group}.`));
    for (const group of ["request", "asset", "link", "wallet"])
      expect(kindsOf([group])).to.deep.equal(of(group));
    expect(kindsOf(["wallet", "link", "asset", "request", "asset.final"])).to.deep.equal(eventKinds);
    expect(kindsOf(["asset.final", "request.Received", "asset.final"])).to.deep.equal([
      "request.Received",
      "asset.final",
    ]);
  });

  describe("in a query", () => {
    let api: TestApi;
    before(async () => {
      api = await startApi();
    });
    after(() => api.stop());

    it("are refused where one is unknown, naming those that are", async () => {
      const long = "asset,".repeat(100_000 / 64);
      for (const kinds of [
        "asset.gone",
        "asset,",
        ",",
        "ASSET",
        " asset",
        "asset;link",
        "asset%00",
        "*",
        long,
      ]) {
        const answer = await api.get(`/events/?kinds=${kinds}`);
        expectError(answer, 400, "INVALID_REQUEST");
        expect(fieldsOf(answer)).to.deep.equal(["kinds"]);
        for (const kind of eventKinds) expect(answer.error?.message).to.include(kind);
      }
    });

    it("stand beside other parameters, which are held to the same", async () => {
      const uuid = "00000000-0000-4000-8000-000000000000";
      const bad = [
        "-1",
        "1e3",
        "1.5",
        "%201",
        "0x1",
        "٣",
        "1,2",
        "%00",
        "NaN",
        String(2n ** 70n),
        "9".repeat(16),
      ];
      for (const after of bad) {
        const answer = await api.get(`/events/?after=${after}`);
        expectError(answer, 400, "INVALID_REQUEST");
        expect(fieldsOf(answer)).to.deep.equal(["after"]);
      }
      for (const [field, value] of [
        ["assetId", `0x${"1".repeat(63)}`],
        ["assetId", `0x${"1".repeat(64)}%00`],
        ["transactionId", `${uuid}%00`],
        ["transactionId", uuid.slice(1)],
        ["size", "201"],
      ] as const) {
        const answer = await api.get(`/events/?${field}=${value}`);
        expectError(answer, 400, "INVALID_REQUEST");
        expect(fieldsOf(answer)).to.deep.equal([field]);
      }
    });
  });
});
