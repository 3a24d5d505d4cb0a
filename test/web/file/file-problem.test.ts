import { expect } from "chai";
import { FileError, problemOf } from "../../../web/src/file/file-problem.ts";
import { file as words } from "../../../web/src/texts/en/file.ts";

const named = (name: string) => Object.assign(new Error("Something failed."), { name });

describe("why a file could not be hashed", () => {
  it("follows from the browser's own error", () => {
    const problems = ["NotFoundError", "NotReadableError", "CompileError", "TypeError"].map((name) =>
      problemOf(named(name)),
    );
    expect(problems).to.deep.equal(["gone", "changed", "no-hashing", "unreadable"]);
    expect(problemOf("nothing that was thrown before")).to.equal("unreadable");
  });

  it("is said with what to do", () => {
    for (const text of Object.values(words.problems)) {
      expect(text).to.match(/[Cc]h(?:oose|eck)|Allow/);
    }
    expect(new FileError("gone")).to.include({ name: "FileError", problem: "gone" });
  });
});
