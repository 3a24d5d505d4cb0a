import { type Ask, hexQuantity, readQuantity } from "./provider.ts";
import { readWalletError, WalletError } from "./wallet-error.ts";

/** A chain as wallets are told of it. */
export type Chain = {
  id: number;
  name: string;
  nativeCurrency: { name: string; symbol: string; decimals: number };
  rpcUrl: string | null;
  explorerUrl: string | null;
};

/** The number of the chain that the wallet is on. @throws WalletError */
export async function chainOf(ask: Ask): Promise<number> {
  const id = readQuantity(await ask("eth_chainId"));
  if (id === undefined) throw new WalletError("BAD_ANSWER", "It does not say which chain it is on.");
  return id;
}

/**
 * Brings the wallet to a chain: has it switch, and where it does not know the chain, has it add it first.
 * @throws WalletError
 */
export async function bringTo(chain: Chain, ask: Ask): Promise<void> {
  if ((await chainOf(ask)) === chain.id) return;
  try {
    await switchTo(chain, ask);
  } catch (error) {
    const problem = readWalletError(error);
    if (problem.failure !== "UNKNOWN_CHAIN") throw problem;
    await add(chain, ask);
    // Some wallets add a chain and stay where they are.
    if ((await chainOf(ask)) !== chain.id) await switchTo(chain, ask);
  }
  // Some wallets say that they did, and did not.
  if ((await chainOf(ask)) !== chain.id) throw new WalletError("WRONG_CHAIN");
}

async function switchTo({ id }: Chain, ask: Ask): Promise<void> {
  await ask("wallet_switchEthereumChain", [{ chainId: hexQuantity(id) }]);
}

async function add({ id, name, nativeCurrency, rpcUrl, explorerUrl }: Chain, ask: Ask): Promise<void> {
  if (rpcUrl === null) throw new WalletError("UNKNOWN_CHAIN");
  await ask("wallet_addEthereumChain", [
    {
      chainId: hexQuantity(id),
      chainName: name,
      nativeCurrency,
      rpcUrls: [rpcUrl],
      ...(explorerUrl === null ? {} : { blockExplorerUrls: [explorerUrl] }),
    },
  ]);
}
