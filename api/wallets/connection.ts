import { randomBytes, randomUUID } from "node:crypto";
import { type Address, type Hex, hashTypedData } from "viem";
import type { Transaction } from "../../db/core/pool.ts";
import {
  connectWallet,
  findInitialisation,
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

/** An initialisation, and the typed data for the holder of the address to sign. */
export type ConnectionStart = { started: Started; toSign: ToSign };

/** Starts to connect an address to a user; its id becomes the wallet's. */
export async function prepareStart(
  services: Dependencies,
  user: User,
  labels: { name: string; description: string },
): Promise<ConnectionStart> {
  const started: Started = {
    id: randomUUID(),
    user,
    ...labels,
    token: randomBytes(32).toString("base64url"),
    expiresAt: new Date(Date.now() + limits.walletInitialisationSeconds * 1000),
  };
  return { started, toSign: await connectionTypedData(services, started) };
}

/** @throws ApiError TOO_MANY_OPEN_INITIALISATIONS */
export async function commitStart(tx: Transaction, { started }: ConnectionStart): Promise<void> {
  if (await insertInitialisation(tx, started)) return;
  throw new ApiError(
    "TOO_MANY_OPEN_INITIALISATIONS",
    `You have ${limits.openInitialisations} wallet initialisations open, as many as are allowed. ` +
      `Complete one; each expires ${limits.walletInitialisationSeconds} seconds after its start.`,
  );
}

/** The typed data that the holder of the address signs; deterministic for an initialisation. */
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

/** The address that completes a user's initialisation. */
export type ConnectionPlan = { user: User; id: string; address: Address };

/** Checks the signature for a user's initialisation; that of a contract wallet by a call of the node. */
export async function prepareConnection(
  services: Dependencies,
  user: User,
  id: string,
  { address, signature }: { address: Address; signature: Hex },
): Promise<ConnectionPlan> {
  const open = stillOpen(await findInitialisation(services.pool, user, id), id);
  const hash = hashTypedData(await connectionTypedData(services, open));
  await checkSignature(services.chain, { signer: address, hash, signature });
  return { user, id, address };
}

/**
 * Connects the address that signed. A refused attempt leaves the initialisation open; a completed one is used up.
 */
export async function commitConnection(
  tx: Transaction,
  { user, id, address }: ConnectionPlan,
): Promise<Wallet> {
  const open = stillOpen(await lockInitialisation(tx, user, id), id);
  const connected = await connectWallet(tx, open, address);
  if ("wallet" in connected) return connected.wallet;
  if ("tooMany" in connected) {
    throw new ApiError(
      "TOO_MANY_WALLETS",
      `You have ${limits.wallets} wallets, as many as are allowed. Remove one first.`,
    );
  }
  throw new ApiError(
    "WALLET_TAKEN",
    `The address ${address} is connected to another user, who must remove it first.`,
  );
}

function stillOpen(found: WalletInitialisation | undefined, id: string): WalletInitialisation {
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
