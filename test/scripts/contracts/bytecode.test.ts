import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { expect } from "chai";
import { getCreate2Address } from "ethers";
import { buildInfo, compiledRegistry } from "../../../scripts/contracts/compiled-registry.ts";
import { codeFile, registryCodeSource } from "../../../scripts/contracts/generate-code.ts";
import { compiledPin, pinFile, pinnedDocuments } from "../../../scripts/contracts/pin-registry.ts";

describe("the registry's bytecode", () => {
  it("comes from the standard JSON that a verifier is given, and from nothing else", async () => {
    const { bytecode, buildInfoId } = await compiledRegistry();
    const { input } = await buildInfo(buildInfoId);
    // A build of everything compiles the tests in the same run; they are nothing to verify.
    const sources = Object.fromEntries(
      Object.entries(input.sources).filter(([name]) => !name.startsWith("project/test/")),
    );
    expect(Object.keys(sources).filter((name) => !/^(project\/contracts|npm\/@openzeppelin)\//.test(name))).to
      .be.empty;
    const solc = createRequire(import.meta.url)("solc") as { compile(input: string): string };
    const { contracts } = JSON.parse(solc.compile(JSON.stringify({ ...input, sources })));
    const { evm } = contracts["project/contracts/AssetRegistry.sol"].AssetRegistry;
    expect(`0x${evm.bytecode.object}`).to.equal(bytecode);
  });

  it("holds the compiler's version and no hash of the sources, whose comments may change", async () => {
    const { deployedBytecode } = await compiledRegistry();
    expect(deployedBytecode).to.match(/a164736f6c6343000825000a$/); // {"solc": 0.8.37}
  });

  it("is the pinned one: whoever means to change it runs `npm run pin`", async () => {
    const pin = JSON.parse(await readFile(pinFile, "utf8"));
    expect(pin).to.deep.equal(await compiledPin());
    expect(getCreate2Address(pin.factory, pin.salt, pin.creationCodeHash)).to.equal(pin.address);
  });

  it("is named by its hash and its address in the documents", async () => {
    const { address, creationCodeHash, factory } = await compiledPin();
    const [guide = "", ...descriptors] = await Promise.all(
      (await pinnedDocuments()).map((file) => readFile(file, "utf8")),
    );
    expect(guide).to.include(address).and.include(creationCodeHash).and.include(factory);
    for (const descriptor of descriptors) expect(descriptor).to.include(address);
  });

  it("is the one that the service looks for on the chain", async () => {
    expect(await readFile(codeFile, "utf8")).to.equal(await registryCodeSource());
  });
});
