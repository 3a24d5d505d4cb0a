import { expect } from "chai";
import { ErrorResponse, ErrorTimeout } from "oidc-client-ts";
import { readSignInProblem, SignInProblem } from "../../../web/src/identity/sign-in-problem.ts";

const refusal = (error: string, error_description: string | null = null) =>
  new ErrorResponse({ error, error_description });

describe("why nobody was signed in", () => {
  const told = (thrown: unknown) => readSignInProblem(thrown).failure;

  it("tells refusals of the provider by their code", () => {
    expect(told(refusal("access_denied"))).to.equal("REFUSED");
    expect(told(refusal("invalid_grant"))).to.equal("TOO_LATE");
    expect(told(refusal("server_error"))).to.equal("UNREACHABLE");
    const problem = readSignInProblem(refusal("unauthorized_client", "not for you"));
    expect(problem).to.include({ failure: "DECLINED", said: "not for you" });
    expect(readSignInProblem(refusal("__proto__"))).to.include({ failure: "DECLINED", said: "__proto__" });
  });

  it("tells a provider that is away, or something else in its place", () => {
    expect(told(new TypeError("Failed to fetch"))).to.equal("UNREACHABLE");
    expect(told(new ErrorTimeout("Network timed out"))).to.equal("UNREACHABLE");
    expect(told(new Error("Bad Gateway (502)"))).to.equal("UNREACHABLE");
    expect(told(new Error("Invalid response Content-Type: text/html, from URL: x"))).to.equal("UNREACHABLE");
  });

  it("keeps what it was told, and makes sense of nothing else", () => {
    const known = new SignInProblem("NOT_OURS");
    expect(readSignInProblem(known)).to.equal(known);
    for (const thrown of [new Error("nonce in id_token does not match"), "text", undefined, null, {}]) {
      expect(told(thrown)).to.equal("BAD_ANSWER");
    }
  });
});
