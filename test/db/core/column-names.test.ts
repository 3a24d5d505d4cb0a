import { expect } from "chai";
import { takeRepeated } from "../../support/runner/column-names.ts";
import { useDatabase } from "../rows.ts";

describe("the names of a result's columns, which a hook of all tests looks at in the end", () => {
  const store = useDatabase();

  it("are noted where two are the same: a row keeps only the last of them", async () => {
    const text = "select facts.*, 2 as number from (select 1 as number, 3 as other) facts";
    const { rows } = await store.pool.query(text);
    expect(rows).to.deep.equal([{ number: 2, other: 3 }]);
    expect(takeRepeated(text)).to.deep.equal(["number"]);
    expect(takeRepeated(text)).to.deep.equal([]);
  });

  it("are not noted where each is another, or of settings that are set", async () => {
    const other = "select 1 as number, 2 as other";
    const settings = "select set_config('a.b', '1', true), set_config('a.c', '2', true)";
    for (const text of [other, settings]) {
      await store.pool.query(text);
      expect(takeRepeated(text)).to.deep.equal([]);
    }
  });
});
