import { expect } from "chai";
import { createRulebook } from "../../../scripts/session/rules.ts";

describe("the rules of an unattended key", () => {
  let now: number;
  const rulebook = (rules = {}) =>
    createRulebook(
      { allow: new Set(["create", "link"]), maxFee: 10n, maxPerHour: Number.POSITIVE_INFINITY, ...rules },
      () => now,
    );
  beforeEach(() => {
    now = 0;
  });

  it("let through what is allowed, up to the highest fee", () => {
    expect(rulebook().objection("a", "create", 10n)).to.equal(undefined);
    expect(rulebook().objection("a", "create", 11n)?.key).to.equal("fee");
  });

  it("leave a kind that is not allowed, whatever its name", () => {
    for (const kind of ["revoke", "", "constructor"])
      expect(rulebook().objection("a", kind, 0n)?.key).to.equal("kind");
  });

  it("count the requests that were signed within an hour, and no older ones", () => {
    const rules = rulebook({ maxPerHour: 2 });
    rules.recordSigned("a");
    now = 1_000_000;
    rules.recordSigned("b");
    expect(rules.objection("c", "link", 1n)?.text).to.contain("--max-per-hour 2");
    now = 3_600_000;
    expect(rules.objection("c", "link", 1n)).to.equal(undefined);
    rules.recordSigned("c");
    expect(rules.objection("d", "link", 1n)?.key).to.equal("hour");
  });

  it("count a request once, however often it is signed", () => {
    const rules = rulebook({ maxPerHour: 1 });
    rules.recordSigned("a");
    expect(rules.objection("a", "link", 1n)).to.equal(undefined);
    rules.recordSigned("a");
    expect(rules.isFull("a")).to.equal(false);
    expect(rules.isFull("b")).to.equal(true);
  });
});
