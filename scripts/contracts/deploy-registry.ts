import { type TransactionResponse, Wallet } from "ethers";
import { type Address, type Hash, type Hex, keccak256 } from "viem";
import { registryCode } from "../../domain/registry/code.ts";
import { addressOf, creationCall, FACTORY, SALT } from "../deployment/create2.ts";
import { DeployError } from "../deployment/error.ts";
import { ensureFactory, LOCAL_CHAIN } from "../deployment/factory.ts";
import { connect } from "../deployment/node.ts";
import { explained, minedReceipt, reverted } from "../deployment/outcome.ts";
import { affordableGas } from "../deployment/payment.ts";
import { deploymentRecord } from "../deployment/record.ts";
import { standingRegistry } from "../deployment/standing.ts";
import { compiledRegistry } from "./compiled-registry.ts";

export { DeployError } from "../deployment/error.ts";

export type Deployment = {
  /** with its checksum */
  registry: Address;
  chainId: number;
  /** Block of the creation; 0 where it cannot be proved, so that an index that begins there misses nothing. */
  blockNumber: number;
  /** Undefined where the registry stood already and its creation cannot be found. */
  transactionHash: Hash | undefined;
};

export type DeployOptions = {
  rpcUrl: string;
  deployerKey: string;
  /** Another salt makes another registry, at another address; the one of all chains unless given. */
  salt?: Hex;
  /** Folder with the record of deployments (of the usual salt); without it nothing is read or written. */
  record?: string;
  /** Called with one line for each step. */
  onProgress?: (line: string) => void;
  /** How long the node may take to answer one request; 10 s unless given. */
  requestTimeoutMs?: number;
  /** How long the chain may take to mine a transaction; 3 minutes unless given. */
  receiptTimeoutMs?: number;
};

/**
 * Deploys the compiled registry to the address that it has on every chain, and waits until it is mined. Where it
 * stands there already, nothing is sent and that registry is the answer. A chain that cannot have the factory gets
 * the registry at an address of its own, which only the record finds again.
 * @throws DeployError when the contract is not compiled, the key is none, the node does not answer, the deployer
 * cannot pay, or the transaction reverts, is replaced or is not mined in time
 */
export async function deployRegistry(options: DeployOptions): Promise<Deployment> {
  const { rpcUrl, deployerKey, salt = SALT, onProgress = () => {} } = options;
  const creationCode = await compiledCode();
  const deployer = walletOf(deployerKey);
  const registry = addressOf(keccak256(creationCode), salt);
  const call = creationCall(creationCode, salt);

  const { provider, chainId, node } = await connect(rpcUrl, options.requestTimeoutMs ?? 10_000);
  onProgress(`${node} answers: chain ${chainId}`);
  const wallet = deployer.connect(provider);
  const mined = (sent: TransactionResponse) => minedReceipt(sent, options.receiptTimeoutMs ?? 180_000);
  // The local chain forgets, so nothing is kept of it.
  const record =
    options.record === undefined || chainId === LOCAL_CHAIN
      ? undefined
      : deploymentRecord(options.record, chainId, onProgress);
  const findStanding = async () => {
    const standing = await standingRegistry({ provider, chainId, registry, call, record, onProgress });
    return standing && { chainId, ...standing };
  };
  try {
    const standing = await findStanding();
    if (standing !== undefined) return standing;

    const byFactory = await ensureFactory({ provider, wallet, chainId, onProgress, mined });
    if (!byFactory) {
      onProgress(
        `chain ${chainId} cannot have the deployment factory, because this node takes no transaction that names no ` +
          "chain: the registry gets an address that other chains do not have",
      );
    }
    const transaction = byFactory ? { to: FACTORY, data: call } : { data: creationCode };
    const gasLimit = await affordableGas(provider, wallet.address, transaction, chainId);

    onProgress(`deploying from ${wallet.address}`);
    const sent = await wallet.sendTransaction({ ...transaction, gasLimit });
    onProgress(`transaction ${sent.hash} is sent, waiting for its block`);
    const receipt = await mined(sent);
    const deployed = {
      registry: byFactory ? registry : (receipt.contractAddress as Address),
      blockNumber: receipt.blockNumber,
      transactionHash: receipt.hash as Hash,
    };
    await record?.add(deployed);
    return { chainId, ...deployed };
  } catch (error) {
    // Somebody else may have been faster: the factory creates the same contract only once.
    const standing = reverted(error) ? await findStanding().catch(() => undefined) : undefined;
    if (standing !== undefined) return standing;
    throw explained(error, node, chainId);
  } finally {
    provider.destroy();
  }
}

async function compiledCode(): Promise<Hex> {
  const compiled = await compiledRegistry().catch(() => undefined);
  if (compiled === undefined)
    throw new DeployError("The contract is not compiled: run `npm run build` first.");
  if (keccak256(compiled.bytecode) !== registryCode.creationCodeHash) {
    throw new DeployError("The contract was compiled from other sources: run `npm run build` first.");
  }
  return compiled.bytecode;
}

function walletOf(deployerKey: string): Wallet {
  try {
    return new Wallet(deployerKey);
  } catch {
    throw new DeployError("The deployer's key is no private key of this curve.");
  }
}
