import { FetchRequest, JsonRpcProvider } from "ethers";
import { DeployError } from "./error.ts";

/**
 * The node that deploys, once it is certain that one answers.
 * @throws DeployError when none does
 */
export async function connect(
  rpcUrl: string,
  timeoutMs: number,
): Promise<{ provider: JsonRpcProvider; chainId: number; node: string }> {
  const node = nodeName(rpcUrl);
  const request = new FetchRequest(rpcUrl);
  request.timeout = timeoutMs;
  const chainId = await chainIdOf(request, node);
  // No caching: the same call has another result later.
  const settings = { staticNetwork: true, pollingInterval: 500, cacheTimeout: -1 };
  return { provider: new JsonRpcProvider(request, chainId, settings), chainId, node };
}

// Only the host is ever shown: paths and credentials of such URLs are keys of the provider's customer.
function nodeName(rpcUrl: string): string {
  if (!URL.canParse(rpcUrl)) throw new DeployError("The node's URL cannot be read.");
  return `the node at ${new URL(rpcUrl).host}`;
}

// A bare request: ethers' provider retries an unreachable node without end.
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
