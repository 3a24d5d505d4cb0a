import { STATUS_CODES } from "node:http";
import { expect } from "chai";
import { ApiError, type ErrorCode, errorTable } from "../../domain/errors.ts";

const codes = Object.keys(errorTable) as ErrorCode[];

describe("the table of errors", () => {
  for (const code of codes) {
    const { status, when, fix } = errorTable[code];

    describe(code, () => {
      it(`has a status of HTTP for an error: ${status}`, () => {
        expect(status).to.be.within(400, 599);
        expect(STATUS_CODES[status]).to.be.a("string");
      });

      it("says when it is answered and what to do, in half sentences that a sentence can end with", () => {
        for (const text of [when, fix]) {
          expect(text).to.equal(text.trim());
          expect(text)
            .to.match(/^[a-z]/)
            .and.match(/[a-z0-9`)]$/i)
            .and.not.match(/[\n|]| {2}/);
        }
      });
    });
  }

  it("names its codes in capitals", () => {
    for (const code of codes) expect(code).to.match(/^[A-Z]+(_[A-Z]+\d*)*$/);
  });

  it("blames the service for 5xx only: all others tell the caller what to correct", () => {
    const ours = codes.filter((code) => errorTable[code].status >= 500);
    expect(ours).to.have.members([
      "INTERNAL_ERROR",
      "PROOF_UNAVAILABLE",
      "NODE_UNAVAILABLE",
      "DATABASE_UNAVAILABLE",
      "IDENTITY_PROVIDER_UNAVAILABLE",
      "NOT_READY",
    ]);
  });

  for (const [ending, status] of [
    ["_NOT_FOUND", [404, 422]],
    ["_UNAVAILABLE", [501, 503]],
    ["_TOO_LARGE", [413, 431]],
    ["_MISMATCH", [422]],
    ["MALFORMED", [400]],
  ] as const) {
    it(`answers ${ending} with ${status.join(" or ")}`, () => {
      const named = codes.filter((code) => code.endsWith(ending));
      expect(named).to.not.have.lengthOf(0);
      for (const code of named) expect(status, code).to.include(errorTable[code].status);
    });
  }
});

describe("ApiError", () => {
  it("carries code, message, status and the bad fields", () => {
    const error = new ApiError("INVALID_REQUEST", "The name is empty.", [
      { field: "name", message: "is empty" },
    ]);
    expect(error).to.be.instanceOf(Error);
    expect(error).to.include({ name: "ApiError", code: "INVALID_REQUEST", status: 400 });
    expect(error.message).to.equal("The name is empty.");
    expect(error.details).to.deep.equal([{ field: "name", message: "is empty" }]);
  });

  it("has no details unless given", () => {
    expect(new ApiError("ASSET_NOT_FOUND", "There is no such asset.").details).to.deep.equal([]);
  });
});
