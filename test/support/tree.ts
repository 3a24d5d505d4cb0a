import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect } from "chai";
import type { Suite } from "mocha";

/** Declares the test that the suite around it has exactly the branches and leaves of the `.tree` file. */
export function followsTree(file: URL): void {
  it(`follows ${basename(file.pathname)}`, function () {
    const suite = this.test?.parent;
    if (!suite) throw new Error("there is no suite around");
    const lines = [suite.title, ...branches(suite, "")];
    expect(`${lines.join("\n")}\n`).to.equal(readFileSync(file, "utf8"));
  });
}

function branches(suite: Suite, indent: string): string[] {
  const leaves = suite.tests.filter(({ title }) => !title.startsWith("follows ")).map((test) => test.title);
  const entries = [
    ...leaves.map((title) => ({ title: `it ${title}`, suite: undefined })),
    ...suite.suites.map((inner) => ({ title: inner.title, suite: inner })),
  ];
  return entries.flatMap(({ title, suite: inner }, index) => {
    const last = index === entries.length - 1;
    return [
      `${indent}${last ? "└──" : "├──"} ${title}`,
      ...(inner ? branches(inner, `${indent}${last ? "    " : "│   "}`) : []),
    ];
  });
}
