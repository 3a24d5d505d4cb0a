import { chainOf } from "./network.ts";
import { type Ask, hexQuantity, type Provider } from "./provider.ts";
import { readWalletError, WalletError } from "./wallet-error.ts";

type Hex = `0x${string}`;

/** A call that a wallet is to send. */
export type Call = { to: Hex; data: Hex; value: Hex; gas: Hex | null };

/** Typed data of EIP-712; big integers are written as decimal digits. */
export type TypedData = {
  domain: object;
  types: Record<string, readonly { name: string; type: string }[]>;
  primaryType: string;
  message: object;
};

/** Asks this wallet, with its errors made WalletErrors. */
export const asker =
  (provider: Provider): Ask =>
  async (method, params = []) => {
    try {
      return await provider.request({ method, params });
    } catch (error) {
      throw readWalletError(error);
    }
  };

/** The accounts that the wallet gives to this site, the selected one first. */
export async function accountsOf(ask: Ask): Promise<string[]> {
  const answer = await ask("eth_accounts");
  return Array.isArray(answer) ? answer.filter((account) => typeof account === "string") : [];
}

/**
 * Has the wallet let its user choose which accounts to share, where the wanted one is not among these. A wallet that
 * has no such window keeps those that it shares. @throws WalletError
 */
export async function chooseAccount(ask: Ask, wanted: string, shared: readonly string[]): Promise<void> {
  if (shared.some((account) => isSameAddress(account, wanted))) return;
  try {
    await ask("wallet_requestPermissions", [{ eth_accounts: {} }]);
  } catch (error) {
    if (!(error instanceof WalletError && error.failure === "UNSUPPORTED")) throw error;
  }
}

/** Whether two addresses are one, whatever their case. */
export const isSameAddress = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase();

/** Asked of the wallet just before it is to sign, because its user may change both at any time. @throws WalletError */
async function requireSigner(ask: Ask, signer: Hex, chainId: number): Promise<void> {
  const accounts = await accountsOf(ask);
  if (accounts.length === 0) throw new WalletError("NOT_CONNECTED");
  if (!accounts.some((account) => isSameAddress(account, signer)))
    throw new WalletError("WRONG_ACCOUNT", accounts[0]);
  if ((await chainOf(ask)) !== chainId) throw new WalletError("WRONG_CHAIN");
}

/**
 * Has the wallet send a call. Nonce and fees are its own affair: it knows what else its user has sent.
 * @returns the hash of the transaction @throws WalletError
 */
export async function sendCall(ask: Ask, signer: Hex, chainId: number, call: Call): Promise<Hex> {
  await requireSigner(ask, signer, chainId);
  const { to, data, value, gas } = call;
  const transaction = { from: signer, to, data, value, ...(gas && { gas }), chainId: hexQuantity(chainId) };
  const answer = await ask("eth_sendTransaction", [transaction]);
  if (typeof answer === "string" && /^0x[0-9a-f]{64}$/i.test(answer)) return answer.toLowerCase() as Hex;
  throw new WalletError("BAD_ANSWER", "It answered no hash of a transaction.");
}

/** Has the wallet sign typed data. @returns the signature @throws WalletError */
export async function signTyped(ask: Ask, signer: Hex, chainId: number, data: TypedData): Promise<Hex> {
  await requireSigner(ask, signer, chainId);
  const text = JSON.stringify(data, (_, value) => (typeof value === "bigint" ? String(value) : value));
  const answer = await ask("eth_signTypedData_v4", [signer, text]);
  if (typeof answer === "string" && /^0x(?:[0-9a-f]{2})+$/i.test(answer)) return answer as Hex;
  throw new WalletError("BAD_ANSWER", "It answered no signature.");
}

/**
 * Whether a transaction that the wallet says it sent is another call than it was asked for; undefined where the wallet
 * does not show it, or has somebody else send it, as contract wallets do.
 */
export async function sentOtherCall(
  ask: Ask,
  hash: Hex,
  signer: Hex,
  call: Call,
): Promise<boolean | undefined> {
  const found = await ask("eth_getTransactionByHash", [hash]).catch(() => null);
  if (typeof found !== "object" || found === null) return undefined;
  const { from, to, input } = found as { from?: unknown; to?: unknown; input?: unknown };
  if (typeof from !== "string" || typeof input !== "string" || !isSameAddress(from, signer)) return undefined;
  return (
    typeof to !== "string" || !isSameAddress(to, call.to) || input.toLowerCase() !== call.data.toLowerCase()
  );
}
