import { expect } from "chai";
import { createRotation } from "../../../indexer/outbox/rotation.ts";

const of = (tenant: string, count: number) =>
  Array.from({ length: count }, (_, nth) => ({ key: `${tenant} ${nth}`, tenant }));

describe("a rotation", () => {
  it("chooses all where they are few", () => {
    const choose = createRotation(10);
    expect(choose(of("a", 4))).to.have.lengthOf(4);
    expect(choose([])).to.have.lengthOf(0);
  });

  it("lets a tenant with few be looked at each time, beside any crowd of another", () => {
    const choose = createRotation(10);
    for (let round = 0; round < 5; round += 1) {
      const chosen = choose([...of("crowd", 1_000), ...of("quiet", 3)]);
      expect(chosen).to.have.lengthOf(10);
      expect([...chosen]).to.include.members(["quiet 0", "quiet 1", "quiet 2"]);
    }
  });

  it("leaves nothing out for good", () => {
    const choose = createRotation(10);
    const seen = new Set<string>();
    for (let round = 0; round < 10; round += 1) for (const key of choose(of("crowd", 95))) seen.add(key);
    expect(seen).to.have.lengthOf(95);
  });
});
