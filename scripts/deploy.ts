import { parseArgs } from "node:util";
import { ConfigError, readConfig } from "../config.ts";
import { build } from "./build.ts";
import { DeployError } from "./deployment/error.ts";
import { DEPLOYMENTS } from "./deployment/record.ts";

const help = `Usage: npm run deploy

Deploys the registry to the address that it has on every chain, waits for its block, and ends with one line:
  deployed {"registry":"0x…","chainId":1,"blockNumber":123}
Keep the address as REGISTRY_ADDRESS and the block as START_BLOCK of the service. Where the registry stands
already, nothing is sent and the line is the same. See docs/deployment.md.

Environment:
  RPC_URL       JSON-RPC URL of the chain; of several, the first is used
  DEPLOYER_KEY  private key that pays for the deployment and has no right afterwards

Options:
  --record      folder with the record of deployments, one file per chain; deployments/ unless given
  --help        show this text`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { help: { type: "boolean" }, record: { type: "string", default: DEPLOYMENTS } },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  // Only what a deployment needs: settings that the service is missing, or has wrong, do not stop it.
  const { RPC_URL, DEPLOYER_KEY } = process.env;
  const config = readConfig({ RPC_URL, DEPLOYER_KEY }, ["RPC_URL", "DEPLOYER_KEY"]);
  // Compile first, so that a fresh clone deploys its own contracts/.
  await build({ noTests: true });
  // Not before: it reads what the build writes.
  const { deployRegistry } = await import("./contracts/deploy-registry.ts");
  const { registry, chainId, blockNumber } = await deployRegistry({
    rpcUrl: config.RPC_URL?.[0] ?? "",
    deployerKey: config.DEPLOYER_KEY ?? "",
    record: values.record,
    onProgress: console.log,
  });
  console.log(`deployed ${JSON.stringify({ registry, chainId, blockNumber })}`);
}

try {
  await main();
} catch (error) {
  const known = error instanceof DeployError || error instanceof ConfigError || isArgumentError(error);
  console.error(known ? error.message : `The deployment failed: ${String(error)}`);
  process.exitCode = 1;
}

function isArgumentError(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}
