import type { Wallet, WalletConfirmation, WalletInitialisation } from "asset-registry-client";
import { accountsOf, isSameAddress, signTyped } from "../../../wallet/ask.ts";
import { bringTo, type Chain } from "../../../wallet/network.ts";
import type { Ask } from "../../../wallet/provider.ts";
import { WalletError } from "../../../wallet/wallet-error.ts";
import { checkConnection, type Known, type Mismatch } from "./check-connection.ts";

/** What is being done, in this order. */
export type Step = "connect" | "network" | "start" | "ask" | "confirm";

/** Nothing was asked of the wallet: the account is the user's already, or the service asks for something else. */
export class ConnectProblem extends Error {
  override readonly name = "ConnectProblem";
  readonly obstacle: Mismatch | "ALREADY";

  constructor(obstacle: Mismatch | "ALREADY") {
    super(obstacle);
    this.obstacle = obstacle;
  }
}

type Connecting = {
  chain: Chain;
  known: Known;
  /** Addresses that are the user's already. */
  mine: readonly string[];
  connect(): Promise<Ask>;
  /** Starts a connection at the service. */
  start(): Promise<Pick<WalletInitialisation, "id" | "serializedValue">>;
  confirm(id: string, confirmation: WalletConfirmation): Promise<Wallet>;
  onStep(step: Step): void;
};

/**
 * Connects the selected account of a wallet to the user: has it share the account and come to the chain, checks what the
 * service wants signed, and only then asks for the signature.
 * @throws WalletError, ConnectProblem, or what the service's calls throw
 */
export async function connectWallet(connecting: Connecting): Promise<Wallet> {
  const { chain, known, mine, connect, start, confirm, onStep } = connecting;
  onStep("connect");
  const ask = await connect();
  const [account] = await accountsOf(ask);
  if (account === undefined) throw new WalletError("NOT_CONNECTED");
  if (mine.some((address) => isSameAddress(address, account))) throw new ConnectProblem("ALREADY");
  onStep("network");
  await bringTo(chain, ask);
  onStep("start");
  const { id, serializedValue } = await start();
  const checked = checkConnection(serializedValue, known);
  if ("mismatch" in checked) throw new ConnectProblem(checked.mismatch);
  onStep("ask");
  const signature = await signTyped(ask, account as `0x${string}`, chain.id, checked.data);
  onStep("confirm");
  return await confirm(id, { ethereumAddress: account, signature });
}
