import { readFileSync } from "node:fs";
import { buildModule } from "@nomicfoundation/hardhat-ignition/modules";
import { type Hex, keccak256 } from "viem";
import { addressOf, creationCall, FACTORY, SALT } from "../../scripts/deployment/create2.ts";

const artifact = new URL("../../artifacts/contracts/AssetRegistry.sol/AssetRegistry.json", import.meta.url);

/**
 * The registry through the same factory as `npm run deploy`, at the same address, for those who deploy everything by
 * Ignition. The chain must have the factory. Ignition's own strategy `create2` is not used: its other factory would
 * give another address, and must be on the chain too.
 */
export default buildModule("AssetRegistry", (m) => {
  const { bytecode } = JSON.parse(readFileSync(artifact, "utf8")) as { bytecode: Hex };
  const created = m.send("createRegistry", FACTORY, 0n, creationCall(bytecode, SALT));
  const registry = m.contractAt("AssetRegistry", addressOf(keccak256(bytecode), SALT), { after: [created] });
  return { registry };
});
