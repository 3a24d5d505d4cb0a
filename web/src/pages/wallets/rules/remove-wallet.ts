import { type RegistryClient, RegistryError } from "asset-registry-client";

/** Removes a wallet; one that was removed in another tab meanwhile counts as removed. */
export async function removeWallet(service: Pick<RegistryClient, "removeWallet">, id: string): Promise<void> {
  try {
    await service.removeWallet(id);
  } catch (error) {
    if (!(error instanceof RegistryError && error.code === "WALLET_NOT_FOUND")) throw error;
  }
}
