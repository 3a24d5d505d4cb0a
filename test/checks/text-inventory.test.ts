import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { consoleOwn, consoleReadings } from "./console-texts.ts";
import { forgetTexts, slowText } from "./linear.ts";
import { own, readings } from "./text-inventory.ts";
import { textReaders } from "./text-readers.ts";

const root = join(import.meta.dirname, "..", "..");
const modules = ["config.ts", "{api,cli/src,client/src,db,domain,indexer,proof/src,rpc,web/src}/**/*.ts"];
const allReadings = [...readings, ...consoleReadings];

/**
 * What a stranger writes must cost no more than its length: each function over a text of somebody else's stands in
 * the inventory with its bound, and is run with a quarter of a megabyte of whatever a pattern might repeat.
 */
describe("functions over texts of others", () => {
  after(forgetTexts);

  it("stand in the inventory, each of them and no other", () => {
    const found = globSync(modules, { cwd: root, exclude: ["db/migrations/**"] }).flatMap((path) => [
      ...textReaders(path.replaceAll("\\", "/"), readFileSync(join(root, path), "utf8")),
    ]);
    const listed = [...allReadings, ...own, ...consoleOwn].flatMap(({ readers }) => readers);
    // `db/core/server.ts#*` stands for all of a module.
    const covers = (entry: string, reader: string) =>
      entry.endsWith("*") ? reader.startsWith(entry.slice(0, -1)) : entry === reader;
    const missing = found.filter((reader) => !listed.some((entry) => covers(entry, reader)));
    const gone = listed.filter((entry) => !found.some((reader) => covers(entry, reader)));
    expect(
      { missing, gone },
      "add them to text-inventory.ts, or console-texts.ts, with their bound",
    ).to.deep.equal({
      missing: [],
      gone: [],
    });
    expect(new Set(listed).size, "each once").to.equal(listed.length);
  });

  it("are found by what reads texts", () => {
    const found = textReaders(
      "a.ts",
      [
        "type Text = string;",
        "export const pattern = /a+/;",
        "function parsed(text: Text) { return JSON.parse(text); }",
        "export function number(text: Text) { return [BigInt(text)]; }",
        "const form = (text: Text) => text.normalize();",
        "class Address { read(text: Text) { return new URL(text); } }",
        "console.log(decodeURIComponent('a'));",
        "export const length = (text: Text) => text.length;",
      ].join("\n"),
    );
    expect([...found]).to.deep.equal([
      ...["a.ts#pattern", "a.ts#parsed", "a.ts#number", "a.ts#form", "a.ts#Address", "a.ts#module"],
    ]);
  });

  it("are seen to be slow where they are", async () => {
    const quadratic = (text: string) => {
      let steps = 0;
      for (let from = 0; from < Math.min(text.length, 32_000); from += 1) {
        for (let at = from; text[at] === "\0"; at += 1) steps += 1;
      }
      return steps;
    };
    expect(await slowText(quadratic))
      .to.contain("u0000")
      .and.to.contain("took");
  }).timeout(60_000);

  for (const { text, bound, run, beginnings, longest } of allReadings) {
    it(`${text}: ${bound}`, async () => {
      expect(await slowText(run, beginnings, longest)).to.equal(undefined);
    }).timeout(120_000);
  }
});
