import { expect } from "chai";
import { id, type Signer, Wallet } from "ethers";
import { type WalletAnswer, walletAnswers } from "../support/chain/contract-wallet.ts";
import { ethers, mined, networkHelpers } from "./fixture.ts";
import type { Author, Call } from "./operations.ts";
import type { TypedDataSigner } from "./signing.ts";

/** An author and what signs for it. */
export type Keyed = TypedDataSigner & Author;

/** Decides what a test wallet, or an account that delegates to one, says about signatures. */
export async function answerFromNowOn(address: string, answer: WalletAnswer): Promise<void> {
  const contract = await ethers.getContractAt("TestWallet", address);
  await mined(contract.getFunction("setAnswer")(walletAnswers[answer]));
}

/** The two owners of every test wallet, in the order in which they sign. */
export async function owners(): Promise<[Signer, Signer]> {
  const [first, second] = (await ethers.getSigners()).slice(5);
  if (!first || !second) throw new Error("the chain has too few accounts");
  return [first, second];
}

let accounts = 0;

/** An account with a key and ether, another one each time. */
export async function account(): Promise<Wallet & Author> {
  const signer = new Wallet(id(`key ${accounts++}`), ethers.provider);
  await networkHelpers.setBalance(signer.address, 10n ** 18n);
  return Object.assign(signer, {
    act: (call: Call) => mined(signer.sendTransaction(call)),
  });
}

/** An account that has delegated to the code of a test wallet, which answers so. */
export function delegated(answer: WalletAnswer): () => Promise<Keyed> {
  return async () => {
    const signer = await delegatedTo("TestWallet")();
    await answerFromNowOn(signer.address, answer);
    return signer;
  };
}

/** An account that has delegated to the code of a contract by a transaction of its own. */
export function delegatedTo(name: "TestWallet" | "Relay"): () => Promise<Keyed> {
  return async () => {
    const signer = await account();
    const anywhere = `0x${"ab".repeat(20)}`;
    const code = await ethers.deployContract(name, name === "TestWallet" ? await owners() : []);
    const nonce = await signer.getNonce();
    const authorization = await signer.authorize({ address: code.target, nonce: nonce + 1 });
    await mined(
      signer.sendTransaction({
        type: 4,
        to: anywhere,
        authorizationList: [authorization],
        gasLimit: 200_000n,
      }),
    );
    expect(await ethers.provider.getCode(signer.address)).to.match(/^0xef0100/);
    return signer;
  };
}

/** A contract wallet that answers so. */
export function wallet(answer: WalletAnswer): () => Promise<Keyed> {
  return async () => {
    const [first] = await owners();
    const contract = await ethers.deployContract("TestWallet", await owners());
    const address = await contract.getAddress();
    await answerFromNowOn(address, answer);
    const act = ({ to, data }: Call) => mined(contract.getFunction("execute")(to, data));
    // What an owner signs alone; the wallet itself has no key.
    const signTypedData = first.signTypedData.bind(first);
    return { address, act, signTypedData };
  };
}
