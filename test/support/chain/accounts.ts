import { mnemonicToAccount } from "viem/accounts";

/** Accounts that every development chain funds; their keys are public. */
const account = (addressIndex: number) =>
  mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex });

export const [owner, other, third, deployer] = [account(0), account(1), account(2), account(9)];

export const deployerKey = `0x${Buffer.from(deployer.getHdKey().privateKey ?? []).toString("hex")}` as const;
