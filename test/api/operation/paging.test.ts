import { expect } from "chai";
import { z } from "zod";
import { pagingOf, pagingQuery } from "../../../api/operation/paging.ts";
import { parse } from "../../../api/operation/parse.ts";
import { ApiError } from "../../../domain/errors.ts";

describe("the parameters of a list", () => {
  const schema = z.strictObject(pagingQuery);
  const read = (query: unknown) => pagingOf(parse(schema, query));

  function fieldsRefused(query: unknown): string[] {
    try {
      read(query);
    } catch (error) {
      if (error instanceof ApiError && error.status === 400) return error.details.map(({ field }) => field);
      throw error;
    }
    return [];
  }

  it("are the first fifty where nothing is asked", () => {
    expect(read({})).to.deep.equal({ size: 50, page: 1, skip: 0, cursor: undefined });
  });

  it("count pages from 1, of up to 200 entries", () => {
    expect(read({ page: "3", size: "200" })).to.include({ size: 200, page: 3, skip: 400 });
    expect(read({ cursor: "abc", size: "7" })).to.deep.equal({
      size: 7,
      page: undefined,
      skip: 0,
      cursor: "abc",
    });
  });

  it("are refused by name where they are no such number", () => {
    for (const bad of [
      "-1",
      "0",
      "1e3",
      String(2n ** 70n),
      "1.0",
      "+1",
      " 1",
      "",
      "0x1",
      "٣",
      "NaN",
      "201",
    ]) {
      expect(fieldsRefused({ size: bad }), bad).to.deep.equal(["size"]);
      if (bad !== "201") expect(fieldsRefused({ page: bad }), bad).to.deep.equal(["page"]);
    }
  });

  it("are refused by name where they are repeated, unknown or at odds", () => {
    expect(fieldsRefused({ page: ["1", "2"] })).to.deep.equal(["page"]);
    expect(fieldsRefused({ cursor: ["a", "a"] })).to.deep.equal(["cursor"]);
    expect(fieldsRefused({ Page: "1" })).to.deep.equal(["Page"]);
    expect(fieldsRefused({ cursor: "" })).to.deep.equal(["cursor"]);
    expect(fieldsRefused({ cursor: "a".repeat(1_001) })).to.deep.equal(["cursor"]);
    expect(fieldsRefused({ page: "1", cursor: "a" })).to.deep.equal(["page"]);
  });

  it("reach as deep as the published limit by number", () => {
    expect(read({ page: "50", size: "200" }).skip).to.equal(9_800);
    expect(fieldsRefused({ page: "51", size: "200" })).to.deep.equal(["page"]);
  });
});
