import { expect } from "chai";
import { createEra } from "../../../web/src/identity/era.ts";

describe("signing out in tabs that are elsewhere", () => {
  const keeper = () => {
    const kept = new Map<string, string>();
    return {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    };
  };

  it("ends the sessions that began before, and none that begins later", () => {
    const shared = keeper();
    const [one, other] = [createEra(shared, keeper()), createEra(shared, keeper())];
    one.join();
    expect(one.isOver()).to.equal(false);
    other.end("first");
    expect(one.isOver()).to.equal(true);
    one.join();
    expect(one.isOver()).to.equal(false);
    one.end("second");
    expect([one.isOver(), other.isOver()]).to.deep.equal([true, true]);
  });

  it("ends none where nothing can be stored", () => {
    const forbidden = () => {
      throw new Error("forbidden");
    };
    const none = createEra({ getItem: forbidden, setItem: forbidden }, keeper());
    none.join();
    none.end("first");
    expect(none.isOver()).to.equal(false);
  });
});
