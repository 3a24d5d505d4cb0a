import { expect } from "chai";
import fc from "fast-check";
import { z } from "zod";
import { readCursor, writeCursor } from "../../../api/operation/page-cursor.ts";
import { ApiError } from "../../../domain/errors.ts";

describe("cursors", () => {
  const place = z.tuple([z.int().min(0), z.string()]);
  const scope = ["assets", "tenant-a", { author: "0x12" }];

  function refusal(read: () => unknown): ApiError {
    try {
      read();
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
    throw new Error("it was not refused");
  }
  const expectRefused = (text: string, within: readonly unknown[] = scope, schema: z.ZodType = place) => {
    const { code, details } = refusal(() => readCursor(within, schema, text));
    expect(code).to.equal("INVALID_REQUEST");
    expect(details.map(({ field }) => field)).to.deep.equal(["cursor"]);
  };

  it("give back the place that they were made of", () => {
    fc.assert(
      fc.property(fc.nat(), fc.string({ unit: "grapheme" }), (number, text) => {
        const cursor = writeCursor(scope, [number, text]);
        expect(cursor).to.match(/^[A-Za-z0-9_-]+$/);
        expect(readCursor(scope, place, cursor)).to.deep.equal([number, text]);
      }),
    );
  });

  it("are refused for another list, reader or filter", () => {
    const cursor = writeCursor(scope, [7, "x"]);
    for (const other of [
      ["transactions", "tenant-a", { author: "0x12" }],
      ["assets", "tenant-b", { author: "0x12" }],
      ["assets", "tenant-a", { author: "0x13" }],
      ["assets", "tenant-a", {}],
    ]) {
      expectRefused(cursor, other);
    }
  });

  it("are refused where anything is changed, cut off or added", () => {
    const cursor = writeCursor(scope, [7, "x"]);
    for (let index = 0; index < cursor.length; index += 1) {
      const changed = cursor[index] === "A" ? "B" : "A";
      expectRefused(cursor.slice(0, index) + changed + cursor.slice(index + 1));
      expectRefused(cursor.slice(0, index));
    }
    for (const text of [`${cursor}A`, `${cursor}=`, ` ${cursor}`, `${cursor}\n`, "!", "é", "AAAA", "null"]) {
      expectRefused(text);
    }
  });

  it("are refused where the place is not of the list's kind, however it came about", () => {
    for (const forged of [[-1, "x"], [1.5, "x"], [1], [1, 2], {}, null, "x"]) {
      expectRefused(writeCursor(scope, forged));
    }
  });
});
