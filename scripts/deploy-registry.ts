import { readFile } from "node:fs/promises";
import {
  ContractFactory,
  type ContractTransactionResponse,
  FetchRequest,
  formatEther,
  type InterfaceAbi,
  isError,
  JsonRpcProvider,
  type TransactionReceipt,
  Wallet,
} from "ethers";
import type { Address, Hash } from "viem";

const artifactFile = new URL("../artifacts/contracts/AssetRegistry.sol/AssetRegistry.json", import.meta.url);

/** The registry could not be deployed; the message is one sentence for the person at the terminal. */
export class DeployError extends Error {
  override readonly name = "DeployError";
}

export type Deployment = {
  /** with its checksum */
  registry: Address;
  chainId: number;
  blockNumber: number;
  transactionHash: Hash;
};

export type DeployOptions = {
  rpcUrl: string;
  deployerKey: string;
  /** Called with one line for each step. */
  onProgress?: (line: string) => void;
  /** How long the node may take to answer one request; 10 s unless given. */
  requestTimeoutMs?: number;
  /** How long the chain may take to mine the transaction; 3 minutes unless given. */
  receiptTimeoutMs?: number;
};

/**
 * Deploys the compiled registry and waits until it is mined.
 * @throws DeployError when the contract is not compiled, the key is none, the node does not answer, the deployer
 * cannot pay, or the transaction reverts, is replaced or is not mined in time
 */
export async function deployRegistry(options: DeployOptions): Promise<Deployment> {
  const { rpcUrl, deployerKey, onProgress = () => {} } = options;
  const { abi, bytecode } = await compiledRegistry();
  const deployer = walletOf(deployerKey);

  const node = nodeName(rpcUrl);
  const request = new FetchRequest(rpcUrl);
  request.timeout = options.requestTimeoutMs ?? 10_000;
  const chainId = await chainIdOf(request, node);
  onProgress(`${node} answers: chain ${chainId}`);

  const provider = new JsonRpcProvider(request, chainId, { staticNetwork: true, pollingInterval: 500 });
  try {
    const wallet = deployer.connect(provider);
    const factory = new ContractFactory(abi, bytecode, wallet);
    const gasLimit = await affordableGas(provider, wallet.address, bytecode, chainId);

    onProgress(`deploying from ${wallet.address}`);
    const sent = (await factory.deploy({ gasLimit })).deploymentTransaction();
    if (sent === null) throw new DeployError("The deployment was not sent.");

    onProgress(`transaction ${sent.hash} is sent, waiting for its block`);
    const receipt = await minedReceipt(sent, options.receiptTimeoutMs ?? 180_000);
    return {
      registry: receipt.contractAddress as Address,
      chainId,
      blockNumber: receipt.blockNumber,
      transactionHash: receipt.hash as Hash,
    };
  } catch (error) {
    throw explained(error, node);
  } finally {
    provider.destroy();
  }
}

async function compiledRegistry(): Promise<{ abi: InterfaceAbi; bytecode: string }> {
  try {
    return JSON.parse(await readFile(artifactFile, "utf8"));
  } catch {
    throw new DeployError("The contract is not compiled: run `npm run build` first.");
  }
}

function walletOf(deployerKey: string): Wallet {
  try {
    return new Wallet(deployerKey);
  } catch {
    throw new DeployError("The deployer's key is no private key of this curve.");
  }
}

// Only the host is ever shown: paths and credentials of such URLs are keys of the provider's customer.
function nodeName(rpcUrl: string): string {
  if (!URL.canParse(rpcUrl)) throw new DeployError("The node's URL cannot be read.");
  return `the node at ${new URL(rpcUrl).host}`;
}

// Asked by hand: ethers' provider would ask an unreachable node again without end.
async function chainIdOf(request: FetchRequest, node: string): Promise<number> {
  const question = request.clone();
  question.body = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] };
  let chainId: number;
  try {
    const response = await question.send();
    response.assertOk();
    chainId = Number(response.bodyJson.result);
  } catch {
    throw new DeployError(`No answer from ${node}: is it running, and is RPC_URL right?`);
  }
  if (!Number.isSafeInteger(chainId) || chainId < 1) {
    throw new DeployError(`What answers as ${node} is no Ethereum node.`);
  }
  return chainId;
}

/** The gas that the deployment needs, once it is certain that the deployer can pay for it. */
async function affordableGas(provider: JsonRpcProvider, deployer: string, data: string, chainId: number) {
  // Asked without a fee: a deployer without funds is told the sum, and not a node's own words for it.
  const estimate = BigInt(await provider.send("eth_estimateGas", [{ from: deployer, data }]));
  // Chains that charge for their parent chain's data estimate a little low when its price rises.
  const gas = estimate + estimate / 10n;
  const fees = await provider.getFeeData();
  const needed = gas * (fees.maxFeePerGas ?? fees.gasPrice ?? 0n);
  const balance = await provider.getBalance(deployer);
  if (balance < needed) {
    throw new DeployError(
      `The deployer ${deployer} holds ${formatEther(balance)} ETH on chain ${chainId}, ` +
        `and the deployment may cost ${formatEther(needed)} ETH.`,
    );
  }
  return gas;
}

async function minedReceipt(
  sent: ContractTransactionResponse,
  timeoutMs: number,
): Promise<TransactionReceipt> {
  try {
    const receipt = await sent.wait(1, timeoutMs);
    if (receipt?.contractAddress) return receipt;
  } catch (error) {
    if (isError(error, "CALL_EXCEPTION")) {
      throw new DeployError(`The chain reverted the deployment, transaction ${sent.hash}.`);
    }
    if (isError(error, "TRANSACTION_REPLACED")) {
      throw new DeployError(`Another transaction of the deployer took the place of ${sent.hash}.`);
    }
    if (isError(error, "TIMEOUT")) {
      throw new DeployError(
        `Transaction ${sent.hash} was sent and is not mined after ${timeoutMs / 1000} seconds; it may still be.`,
      );
    }
    throw error;
  }
  throw new DeployError(`The node gave no address for the deployment, transaction ${sent.hash}.`);
}

function explained(error: unknown, node: string): DeployError {
  if (error instanceof DeployError) return error;
  if (isError(error, "INSUFFICIENT_FUNDS")) {
    return new DeployError("The deployer cannot pay for the deployment.", { cause: error });
  }
  const reason = error instanceof Error && "shortMessage" in error ? error.shortMessage : String(error);
  return new DeployError(`The deployment failed at ${node}: ${reason}.`, { cause: error });
}
