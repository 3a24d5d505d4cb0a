import { createRequire } from "node:module";

import toolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { configVariable, defineConfig } from "hardhat/config";

const compiler = {
  version: "0.8.37",
  // The compiler from npm: nothing is downloaded at build time.
  path: createRequire(import.meta.url).resolve("solc/soljson.js"),
  settings: {
    viaIR: true,
    evmVersion: "cancun",
    optimizer: { enabled: true, runs: 10_000 },
    metadata: { bytecodeHash: "none" },
  },
};

export default defineConfig({
  plugins: [toolbox],
  // Hardhat builds for a deployment or a verification by the profile `production`, which would else have settings of
  // its own: another bytecode, and so another address.
  solidity: { profiles: { default: compiler, production: compiler } },
  networks: {
    // For `hardhat verify` and `hardhat ignition` on a chain outside; docs/deployment.md shows both. To verify needs
    // no key.
    remote: {
      type: "http",
      url: configVariable("RPC_URL"),
      accounts: process.env["DEPLOYER_KEY"] ? [configVariable("DEPLOYER_KEY")] : "remote",
    },
  },
  verify: { etherscan: { apiKey: configVariable("ETHERSCAN_API_KEY") } },
  // TypeChain writes namespaces, which Node cannot strip; only its types are imported.
  typechain: { tsNocheck: true },
  test: {
    solidity: {
      profiles: {
        default: { fuzz: { runs: 1_000 }, invariant: { runs: 64, depth: 64, failOnRevert: true } },
        // `npm run test:deep`
        deep: { fuzz: { runs: 200_000 }, invariant: { runs: 500, depth: 500, failOnRevert: true } },
      },
    },
  },
  paths: { tests: { mocha: "test", solidity: "test/contracts" } },
});
