import type { Transaction } from "asset-registry-client";
import type { Registry } from "../../../../../domain/asset/typed-data.ts";
import { accountsOf, isSameAddress, sendCall, sentOtherCall, signTyped } from "../../../wallet/ask.ts";
import { bringTo, type Chain } from "../../../wallet/network.ts";
import type { Ask } from "../../../wallet/provider.ts";
import { WalletError } from "../../../wallet/wallet-error.ts";
import { checkRequest, type Mismatch } from "./check-request.ts";

type Hex = `0x${string}`;

/** How the author answers: by a transaction of their own, a signature that the service sends for them, or a refusal. */
export type Way = "send" | "gasless" | "refuse";

/** What the author's wallet made of it, to be handed in. */
export type Answer =
  | { way: "send"; transactionHash: Hex }
  | { way: "gasless"; signature: Hex }
  | { way: "refuse"; signature: Hex };

/** What is being done, in this order. */
export type Step = "connect" | "network" | "read" | "ask";

/** Why nothing was asked: answered meanwhile, not paid for any more, another than was shown, or contradictory. */
type Obstacle = "CLOSED" | "NOT_OFFERED" | "CHANGED" | Mismatch;

/** Nothing was asked of the wallet, because of the request itself. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly obstacle: Obstacle;

  constructor(obstacle: Obstacle) {
    super(obstacle);
    this.obstacle = obstacle;
  }
}

type Signing = {
  signer: Hex;
  chain: Chain;
  registry: Registry;
  connect(): Promise<Ask>;
  /** Reads the request anew, and throws where it is not the one that the author was shown. */
  read(): Promise<Transaction>;
  onStep(step: Step): void;
};

/**
 * Leads a wallet to the author's answer: connects it, holds its account against the author's, brings it to the chain,
 * reads and checks the request anew, and only then asks for the signature.
 * @throws WalletError, RequestError, or what `read` throws
 */
export async function signRequest(
  way: Way,
  { signer, chain, registry, connect, read, onStep }: Signing,
): Promise<{ answer: Answer; isOtherCall: boolean }> {
  onStep("connect");
  const ask = await connect();
  const accounts = await accountsOf(ask);
  if (accounts.length === 0) throw new WalletError("NOT_CONNECTED");
  if (!accounts.some((account) => isSameAddress(account, signer))) {
    throw new WalletError("WRONG_ACCOUNT", accounts[0]);
  }
  onStep("network");
  await bringTo(chain, ask);
  onStep("read");
  const asked = await read();
  const found = checkRequest(asked, registry);
  if (found === undefined || asked.state !== "Received") throw new RequestError("CLOSED");
  if ("mismatch" in found) throw new RequestError(found.mismatch);
  const { call, gasless, refusal } = found.checked;
  const data = way === "refuse" ? refusal : gasless;
  if (way === "gasless" && data === null) throw new RequestError("NOT_OFFERED");
  onStep("ask");
  if (way === "send" || data === null) {
    const transactionHash = await sendCall(ask, signer, chain.id, call);
    const isOtherCall = (await sentOtherCall(ask, transactionHash, signer, call)) === true;
    return { answer: { way: "send", transactionHash }, isOtherCall };
  }
  return { answer: { way, signature: await signTyped(ask, signer, chain.id, data) }, isOtherCall: false };
}
