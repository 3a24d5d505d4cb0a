import type { Address, Hex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { toHex } from "viem/utils";

export type DevAccount = { address: Address; privateKey: Hex };

/** The accounts of every Hardhat chain. Their keys are known to the whole world: for the local chain only. */
const devMnemonic = "test test test test test test test test test test test junk";

export const devAccounts: readonly DevAccount[] = Array.from({ length: 10 }, (_, addressIndex) => {
  const account = mnemonicToAccount(devMnemonic, { addressIndex });
  return { address: account.address, privateKey: toHex(account.getHdKey().privateKey as Uint8Array) };
});
