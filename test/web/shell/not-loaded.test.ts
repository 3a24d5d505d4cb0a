import { expect } from "chai";
import { isNotLoaded } from "../../../web/src/shell/not-loaded.ts";

describe("an error of a browser", () => {
  for (const message of [
    "Failed to fetch",
    "Failed to fetch dynamically imported module: https://registry.example/console/files/AssetPage-1.js",
    "NetworkError when attempting to fetch resource.",
    "error loading dynamically imported module",
    "Load failed",
    "Importing a module script failed.",
  ]) {
    it(`tells of something that did not arrive: ${message}`, () => {
      expect(isNotLoaded(new TypeError(message))).to.equal(true);
    });
  }

  it("tells of a mistake in the code otherwise", () => {
    expect(isNotLoaded(new TypeError("Cannot read properties of undefined (reading 'id')"))).to.equal(false);
    expect(isNotLoaded(new Error("Failed to fetch"))).to.equal(false);
  });
});
