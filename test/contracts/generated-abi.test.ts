import { readFile } from "node:fs/promises";
import { expect } from "chai";
import { abiFile, registryAbiSource } from "../../scripts/contracts/generate-abi.ts";

describe("domain/registry/abi.ts", () => {
  it("is what `npm run build` writes for the compiled contract", async () => {
    expect(await readFile(abiFile, "utf8")).to.equal(await registryAbiSource());
  });
});
