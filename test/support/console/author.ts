import { type LocalAccount, parseEther } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import type { Rig } from "../rigs/rig.ts";

/** An account that nobody has used, with some of the chain's currency. */
export async function newAuthor({ chain }: Rig): Promise<LocalAccount> {
  const account = privateKeyToAccount(generatePrivateKey());
  await chain.setBalance({ address: account.address, value: parseEther("1") });
  return account;
}
