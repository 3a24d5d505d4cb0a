import { randomBytes, randomUUID } from "node:crypto";
import { type Address, type Hex, hashTypedData } from "viem";
import { type Database, inTransaction, type Transaction } from "../../db/core/pool.ts";
import {
  connectWallet,
  insertInitialisation,
  lockInitialisation,
  type User,
  type Wallet,
  type WalletInitialisation,
} from "../../db/service/wallets.ts";
import { walletTypedData } from "../../domain/asset/typed-data.ts";
import { ApiError } from "../../domain/errors.ts";
import { limits } from "../../domain/limits.ts";
import type { Dependencies } from "../operation/dependencies.ts";
import { isoTime } from "../operation/time.ts";
import { checkSignature } from "../transactions/signature.ts";

type Started = Omit<WalletInitialisation, "expired" | "used">;
type ToSign = ReturnType<typeof walletTypedData>;

/** Starts to connect an address to a user; its id becomes the wallet's. */
export async function startConnection<Result>(
  services: Dependencies,
  user: User,
  labels: { name: string; description: string },
  answer: (db: Database, started: Started, toSign: ToSign) => Promise<Result>,
): Promise<Result> {
  const started: Started = {
    id: randomUUID(),
    user,
    ...labels,
    token: randomBytes(32).toString("base64url"),
    expiresAt: new Date(Date.now() + limits.walletInitialisationSeconds * 1000),
  };
  // First, so that nothing is stored while nobody can tell what is to be signed.
  const toSign = await connectionTypedData(services, started);
  return await inTransaction(services.pool, async (tx) => {
    if (!(await insertInitialisation(tx, started))) {
      throw new ApiError(
        "TOO_MANY_OPEN_INITIALISATIONS",
        `You have ${limits.openInitialisations} wallet initialisations open, as many as are allowed. ` +
          `Complete one; each expires ${limits.walletInitialisationSeconds} seconds after its start.`,
      );
    }
    return await answer(tx, started, toSign);
  });
}

/** The typed data that the holder of the address signs; the same at the start and at the end. */
async function connectionTypedData(
  services: Dependencies,
  { user, token, expiresAt }: Started,
): Promise<ToSign> {
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
export async function confirmConnection<Result>(
  services: Dependencies,
  user: User,
  id: string,
  proof: { address: Address; signature: Hex },
  answer: (db: Database, wallet: Wallet) => Promise<Result>,
): Promise<Result> {
  const open = await inTransaction(services.pool, (tx) => openInitialisation(tx, user, id));
  const hash = hashTypedData(await connectionTypedData(services, open));
  // Between the two transactions, because a contract wallet is asked through the node.
  await checkSignature(services.chain, { signer: proof.address, hash, signature: proof.signature });
  return await inTransaction(services.pool, async (tx) => {
    const connected = await connectWallet(tx, await openInitialisation(tx, user, id), proof.address);
    if ("wallet" in connected) return await answer(tx, connected.wallet);
    if ("tooMany" in connected) {
      throw new ApiError(
        "TOO_MANY_WALLETS",
        `You have ${limits.wallets} wallets, as many as are allowed. Remove one first.`,
      );
    }
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
