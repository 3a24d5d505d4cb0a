import { expect } from "chai";
import type { Check, CheckCode, CheckName, Outcome } from "../../../../proof/src/proof.ts";
import {
  compareContent,
  contentVerdict,
  proofVerdict,
  type Subject,
} from "../../../../web/src/pages/verify/proof/verdict.ts";

const valid: Record<CheckName, CheckCode> = {
  content: "file-matches",
  id: "id-matches",
  author: "author-matches",
  time: "registered",
  inclusion: "included",
  links: "no-links",
  block: "trusted-block",
};

/** The verdict on a proof that is valid but for these checks. */
function verdictWith(
  verdict: Outcome,
  changes: Partial<Record<CheckName, [Outcome, CheckCode]>>,
  subject: Subject = "file",
) {
  const checks = Object.entries(valid).map(([name, code]): Check => {
    const usual: [Outcome, CheckCode] = [name === "links" ? "cannot check" : "valid", code];
    const [outcome, changed] = changes[name as CheckName] ?? usual;
    return { name: name as CheckName, outcome, code: changed, reason: "" };
  });
  const { tone, title } = proofVerdict({ result: { verdict, words: "", checks }, proof: undefined }, subject);
  return `${tone}: ${title}`;
}

describe("a verdict in words", () => {
  it("tells another file, a forged proof, and what cannot be checked apart", () => {
    const said = [
      verdictWith("valid", {}),
      verdictWith("invalid", { content: ["invalid", "file-differs"] }),
      verdictWith("invalid", { block: ["invalid", "another-block"] }),
      verdictWith("cannot check", { block: ["cannot check", "no-trusted-block"] }),
      verdictWith("cannot check", { content: ["cannot check", "no-method"] }),
      verdictWith("cannot check", { inclusion: ["cannot check", "unknown-registry"] }),
      verdictWith("cannot check", { content: ["cannot check", "unreadable-document"] }),
    ];
    expect(said).to.deep.equal([
      "good: Registered",
      "bad: Not the registered file",
      "bad: The proof is not valid",
      "plain: The file matches, and the block is not checked",
      "warn: The file cannot be compared",
      "warn: Not all of it could be checked",
      "warn: The proof cannot be read",
    ]);
  });

  it("says of a proof without a file that none was compared", () => {
    const none = { content: ["cannot check", "no-file"] } as const;
    expect(verdictWith("valid", { content: [...none.content] }, "nothing")).to.equal(
      "good: The proof is valid",
    );
  });

  it("is bad only for another file, where there is no proof", () => {
    const tones = (["match", "mismatch", "no-hash", "unreadable-hash", undefined] as const).map((content) =>
      [true, false].map((isFinal) => contentVerdict(content, isFinal, "file").tone),
    );
    expect(tones).to.deep.equal([
      ["warn", "plain"],
      ["bad", "bad"],
      ["warn", "warn"],
      ["warn", "warn"],
      ["plain", "plain"],
    ]);
  });

  it("follows from the digest by the asset's own method alone", () => {
    const digits = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const digests = new Map([["sha256", digits]] as const);
    const compare = (method: string, hash: string) => compareContent({ method, hash }, digests);
    for (const method of ["SHA2-256", "sha256", "SHA_256", "Sha 256"])
      expect(compare(method, `0x${digits.toUpperCase()}`), method).to.equal("match");
    expect(compare("SHA2-256", digits.replace("ba", "bb"))).to.equal("mismatch");
    expect(compare("SHA3-256", digits)).to.equal("unknown-method");
    expect(compare("BLAKE9", digits)).to.equal("unknown-method");
    expect(compare("", digits)).to.equal("no-method");
    expect(compare("SHA2-256", `${digits} altered`)).to.not.equal("mismatch");
    expect(compare("SHA2-256", "")).to.equal("no-hash");
  });
});
