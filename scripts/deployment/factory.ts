import { formatEther, isError, type JsonRpcProvider, type TransactionResponse, type Wallet } from "ethers";
import { FACTORY, FACTORY_CODE, FACTORY_CREATION } from "./create2.ts";
import { DeployError } from "./error.ts";

/** The chain of a developer's machine, which lets its user put code anywhere. */
export const LOCAL_CHAIN = 31_337;

type Circumstances = {
  provider: JsonRpcProvider;
  wallet: Wallet;
  chainId: number;
  onProgress: (line: string) => void;
  /** Waits until a transaction is mined. */
  mined: (sent: TransactionResponse) => Promise<unknown>;
};

/**
 * Sees to it that the factory stands on the chain, and answers whether it does. It does not where the node takes no
 * transaction that names no chain, and the factory's creation is one.
 * @throws DeployError when other code stands at the factory's address, or its creation cannot be paid for now
 */
export async function ensureFactory(circumstances: Circumstances): Promise<boolean> {
  const { provider, wallet, chainId, onProgress, mined } = circumstances;
  if (await stands()) return true;
  if (chainId === LOCAL_CHAIN && (await preinstalled())) return true;
  if ((await provider.getTransactionCount(FACTORY_CREATION.signer)) > 0) return false; // its nonce is used, and no factory was created

  const { gasPrice } = await provider.getFeeData();
  if (gasPrice !== null && gasPrice > FACTORY_CREATION.gasPrice) {
    throw new DeployError(
      `Chain ${chainId} has no deployment factory yet, and its creation is signed for a gas price of ` +
        `${formatEther(FACTORY_CREATION.gasPrice)} ETH, less than the ${formatEther(gasPrice)} ETH of now: try again later.`,
    );
  }
  onProgress(`chain ${chainId} has no deployment factory at ${FACTORY} yet: creating it`);
  // Tried before it is paid for, so that a node that takes no such transaction costs nothing.
  let verdict = await sendCreation();
  if (verdict === "unpaid") {
    const missing = FACTORY_CREATION.costs - (await provider.getBalance(FACTORY_CREATION.signer));
    if (missing > (await provider.getBalance(wallet.address))) {
      throw new DeployError(
        `The deployer ${wallet.address} cannot pay the ${formatEther(missing)} ETH for the deployment factory of chain ${chainId}.`,
      );
    }
    if (missing > 0n) {
      await mined(await wallet.sendTransaction({ to: FACTORY_CREATION.signer, value: missing }));
    }
    verdict = await sendCreation();
  }
  if (verdict !== "sent") return false;
  await mined(await creation());
  return stands();

  async function stands(): Promise<boolean> {
    const code = await provider.getCode(FACTORY);
    if (code !== "0x" && code !== FACTORY_CODE) {
      throw new DeployError(
        `Other code than the deployment factory's stands at ${FACTORY} on chain ${chainId}.`,
      );
    }
    return code === FACTORY_CODE;
  }

  async function preinstalled(): Promise<boolean> {
    try {
      await provider.send("hardhat_setCode", [FACTORY, FACTORY_CODE]);
      return await stands();
    } catch {
      return false; // a chain of the same number that is run in earnest
    }
  }

  async function sendCreation(): Promise<"sent" | "unpaid" | "refused"> {
    try {
      await provider.send("eth_sendRawTransaction", [FACTORY_CREATION.raw]);
      return "sent";
    } catch (error) {
      if (isError(error, "INSUFFICIENT_FUNDS")) return "unpaid";
      if (isError(error, "TIMEOUT") || isError(error, "SERVER_ERROR")) throw error;
      const words = nodesWords(error);
      if (/already|known/i.test(words)) return "sent"; // by somebody else, a moment ago
      return /fund|balance|afford/i.test(words) ? "unpaid" : "refused";
    }
  }

  async function creation(): Promise<TransactionResponse> {
    const sent = await provider.getTransaction(FACTORY_CREATION.hash);
    if (sent === null) throw new DeployError("The node has lost the creation of the deployment factory.");
    return sent;
  }
}

function nodesWords(error: unknown): string {
  const inner = (error as { error?: { message?: unknown }; message?: unknown } | null) ?? {};
  return String(inner.error?.message ?? inner.message);
}
