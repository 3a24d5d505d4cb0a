import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect } from "chai";
import { problemOf } from "./check.ts";
import type { Asker, FuzzRequest } from "./request.ts";

/** The check that the fuzzing rests on finds what it looks for. */
describe("the check of an answer", () => {
  const assetOf = (digit: string) => `0x${digit.repeat(64)}`;
  const secrets = {
    "tenant-a": { words: "words of a", ids: new Set([assetOf("a"), randomUUID()]) },
    "tenant-b": { words: "words of b", ids: new Set([assetOf("b"), randomUUID()]) },
  };
  const asking = (as: Asker, path: string): FuzzRequest => ({
    as,
    method: "GET",
    path,
    headers: [],
    body: undefined,
  });
  const answer = (status: number, body: string, contentType = "application/json; charset=utf-8") => ({
    status,
    contentType,
    requestId: undefined,
    body,
  });
  const problem = (as: Asker, path: string, body: string, status = 200) =>
    problemOf(asking(as, path), answer(status, body), secrets);

  for (const [as, tenant] of [
    ["tenant-a", "tenant-b"],
    ["tenant-b", "tenant-a"],
    ["nobody", "tenant-a"],
    ["nobody", "tenant-b"],
  ] as const) {
    const { words, ids } = secrets[tenant];
    const [asset = "", transaction = ""] = ids;

    it(`finds what ${tenant} alone may read in an answer to ${as}`, () => {
      expect(problem(as, "/assets/", `{"value":["${words}"]}`)).to.equal(`leaks words of ${tenant}`);
      for (const id of ids) {
        expect(problem(as, "/assets/", `{"value":["${id}"]}`)).to.equal(`leaks the id ${id} of ${tenant}`);
      }
    });

    it(`lets ${as} read the id of ${tenant} that it named, and the transaction whose id it knows`, () => {
      const failure = `{"value":null,"error":{"code":"ASSET_NOT_FOUND","message":"There is no asset ${asset}."}}`;
      expect(problem(as, `/assets/${asset}`, failure, 404)).to.equal(undefined);
      expect(problem(as, `/transactions/${transaction}`, `"${words}"`) ?? "").not.to.contain("leaks");
    });

    it(`lets ${as} read the id of ${tenant} that it named in a compressed body`, () => {
      const failure = `{"value":null,"error":{"code":"INVALID_REQUEST","message":"${asset} is no target."}}`;
      const named = JSON.stringify({ targetAssetIds: [asset] });
      const path = `/assets/${assetOf("c")}/links`;
      const found = (body: Buffer) =>
        problemOf({ ...asking(as, path), method: "POST", body }, answer(400, failure), secrets);
      expect(found(gzipSync(named))).to.equal(undefined);
      expect(found(gzipSync("{}"))).to.equal(`leaks the id ${asset} of ${tenant}`);
    });
  }

  it("knows that in a target with a host a backslash is a slash", () => {
    const failure =
      '{"value":null,"error":{"code":"ROUTE_NOT_FOUND","message":"There is nothing at this path."}}';
    expect(problem("nobody", "http://elsewhere/transactions/\\/revoke", failure, 404)).to.equal(undefined);
  });

  it("finds a failure of ours, and what the document does not say", () => {
    const failure = '{"value":null,"error":{"code":"INTERNAL_ERROR","message":"The service failed."}}';
    expect(problem("tenant-a", "/assets/", failure, 500)).to.match(/^answered 500/);
    expect(problem("tenant-a", "/health", '{"value":{"alive":"yes"}}')).to.contain("does not allow it");
    expect(problem("tenant-a", "/health", "{}", 302)).to.contain("may not answer 302");
  });
});
