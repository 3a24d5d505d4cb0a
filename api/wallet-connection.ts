import { randomBytes, randomUUID } from "node:crypto";
import { type Address, type Hex, hashTypedData } from "viem";
import { inTransaction, type Transaction } from "../db/pool.ts";
import {
  connectWallet,
  insertInitialisation,
  lockInitialisation,
  type User,
  type Wallet,
  type WalletInitialisation,
} from "../db/wallets.ts";
import { ApiError } from "../domain/errors.ts";
import { limits } from "../domain/limits.ts";
import { walletTypedData } from "../domain/typed-data.ts";
import type { Dependencies } from "./dependencies.ts";
import { checkSignature } from "./signature.ts";
import { isoTime } from "./time.ts";

type Started = Omit<WalletInitialisation, "expired" | "used">;

/** Starts to connect an address to a user; its id becomes the wallet's. */
export async function startConnection(
  { pool }: Dependencies,
  user: User,
  labels: { name: string; description: string },
): Promise<Started> {
  const started: Started = {
    id: randomUUID(),
    user,
    ...labels,
    token: randomBytes(32).toString("base64url"),
    expiresAt: new Date(Date.now() + limits.walletInitialisationSeconds * 1000),
  };
  await insertInitialisation(pool, started);
  return started;
}

/** The typed data that the holder of the address signs; the same at the start and at the end. */
export async function connectionTypedData(services: Dependencies, { user, token, expiresAt }: Started) {
  return walletTypedData(await services.registry(), {
    service: services.publicUrl,
    issuer: user.issuer,
    user: user.subject,
    token,
    expiration: isoTime(expiresAt),
  });
}

/**
 * Connects the address that signed. A refused try leaves the initialisation open for a better one; a
 * completed one is used up, also for the same address.
 */
export async function confirmConnection(
  services: Dependencies,
  user: User,
  id: string,
  proof: { address: Address; signature: Hex },
): Promise<Wallet> {
  const open = await inTransaction(services.pool, (tx) => openInitialisation(tx, user, id));
  const hash = hashTypedData(await connectionTypedData(services, open));
  // Between the two transactions, because a contract wallet is asked through the node.
  await checkSignature(services.chain, { signer: proof.address, hash, signature: proof.signature });
  return await inTransaction(services.pool, async (tx) => {
    const connected = await connectWallet(tx, await openInitialisation(tx, user, id), proof.address);
    if ("wallet" in connected) return connected.wallet;
    throw new ApiError(
      "WALLET_TAKEN",
      `The address ${proof.address} is connected to another user, who must remove it first.`,
    );
  });
}

async function openInitialisation(tx: Transaction, user: User, id: string): Promise<WalletInitialisation> {
  const found = await lockInitialisation(tx, user, id);
  if (found === undefined) throw walletNotFound(id);
  if (found.used) {
    throw new ApiError("INITIALISATION_USED", "This initialisation has been completed. Start a new one.");
  }
  if (found.expired) {
    throw new ApiError(
      "INITIALISATION_EXPIRED",
      `This initialisation expired at ${isoTime(found.expiresAt)}. Start a new one.`,
    );
  }
  return found;
}

export function walletNotFound(id: string): ApiError {
  return new ApiError("WALLET_NOT_FOUND", `You have no wallet ${id}.`);
}
