import { formatEther, type JsonRpcProvider } from "ethers";
import { DeployError } from "./error.ts";

/** The gas that the deployment needs, once it is certain that the deployer can pay for it. */
export async function affordableGas(
  provider: JsonRpcProvider,
  deployer: string,
  transaction: { to?: string; data: string },
  chainId: number,
) {
  // Estimated without a fee, so that a deployer without funds sees the sum and not a node's own error.
  const estimate = BigInt(await provider.send("eth_estimateGas", [{ from: deployer, ...transaction }]));
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
