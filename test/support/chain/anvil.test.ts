import { existsSync, readdirSync } from "node:fs";
import { expect } from "chai";
import { startAnvil } from "./anvil.ts";

describe("a chain for tests", () => {
  for (const signal of ["SIGKILL", "SIGINT"] as const) {
    it(`keeps its old states in a folder that goes with it: ${signal}`, async () => {
      const anvil = await startAnvil();
      try {
        await anvil.mine(1_200);
        expect(readdirSync(anvil.folder)).not.to.deep.equal([]);
      } finally {
        await anvil.stop(signal);
      }
      expect(existsSync(anvil.folder)).to.equal(false);
    });
  }
});
