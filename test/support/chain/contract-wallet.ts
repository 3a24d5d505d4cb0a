import { readFileSync } from "node:fs";
import { type Address, encodeDeployData, encodeFunctionData, type Hex } from "viem";
import { deployer } from "./accounts.ts";
import type { Anvil } from "./anvil.ts";

/** What a test wallet can be told to answer about a signature, in the order of the contract's enum. */
export const walletAnswers = {
  Honest: 0,
  WrongMagic: 1,
  DirtyMagic: 2,
  FourBytes: 3,
  Nothing: 4,
  Reverts: 5,
  Loops: 6,
  MegabyteOfJunk: 7,
  MegabyteAfterMagic: 8,
  ChangesState: 9,
} as const;
export type WalletAnswer = keyof typeof walletAnswers;

const artifact = "artifacts/test/contracts/TestWallet.sol/TestWallet.json";

/** Deploys a contract wallet whose two owners sign one behind the other. */
export async function deployContractWallet(
  anvil: Anvil,
  owners: readonly [Address, Address],
): Promise<{ address: Address; answerFromNowOn(answer: WalletAnswer): Promise<void> }> {
  const { abi, bytecode } = JSON.parse(readFileSync(artifact, "utf8"));
  async function send(transaction: { to?: Address; data: Hex }): Promise<Address | null> {
    const hash = await anvil.rpc<Hex>("eth_sendTransaction", [{ from: deployer.address, ...transaction }]);
    await anvil.mine();
    await anvil.receipt(hash);
    const receipt = await anvil.rpc<{ contractAddress: Address | null }>("eth_getTransactionReceipt", [hash]);
    return receipt.contractAddress;
  }
  const address = await send({ data: encodeDeployData({ abi, bytecode, args: owners }) });
  if (address === null) throw new Error("The wallet was not deployed");
  return {
    address,
    async answerFromNowOn(answer) {
      const args = [walletAnswers[answer]];
      await send({ to: address, data: encodeFunctionData({ abi, functionName: "setAnswer", args }) });
    },
  };
}
