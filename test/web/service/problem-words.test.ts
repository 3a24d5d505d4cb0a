import { ConnectionError, RegistryError } from "asset-registry-client";
import { expect } from "chai";
import { problemInWords } from "../../../web/src/service/problem-words.ts";

describe("why the service gave no answer, in words", () => {
  const refused = (message: string) =>
    problemInWords(Object.assign(Object.create(RegistryError.prototype), { code: "INPUT_INVALID", message }));

  it("quotes the service's own words inert and short, since they may quote somebody's", () => {
    expect(refused("There is no such method.")).to.equal("The service refused: There is no such method.");
    expect(refused("Unknown: \u202efdp.exe\u0000")).to.equal(
      "The service refused: Unknown: [U+202E]fdp.exe[U+0000]",
    );
    const long = refused("x".repeat(1_000_000));
    expect(long).to.have.lengthOf.below(500);
    expect(long.endsWith("x…")).to.equal(true);
  });

  it("quotes nobody where the service was not reached", () => {
    const error = Object.assign(Object.create(ConnectionError.prototype), { message: "ECONNREFUSED" });
    expect(problemInWords(error)).to.not.contain("ECONNREFUSED");
  });
});
