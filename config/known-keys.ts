import { type Hex, toHex } from "viem";
import { mnemonicToAccount } from "viem/accounts";

/** Phrases in the manuals of tools: whoever reads them has every account made from them. */
const phrases: readonly [phrase: string, accounts: number][] = [
  // Hardhat, Anvil and Foundry
  ["test test test test test test test test test test test junk", 100],
  // Ganache with fixed accounts
  ["myth like bonus scare over problem client lizard pioneer submit female collect", 20],
  // Truffle
  ["candy maple cake sugar pudding cream honey rich smooth crumble sweet treat", 20],
  // The first phrase of BIP-39
  ["abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about", 20],
];

/** Of the manuals of Besu and of go-ethereum's tests. */
const printed = [
  "0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63",
  "0xc87509a1c067bbde78beb793e6fa76530b6382a4c0241e5e4a9ec0a0f44dc0d3",
  "0xae6ae8e5ccbfb04590405997ee2d52d2b330726137b875053c36d94e974d162f",
  "0xb71c71a67e1177ad4e901695e1b4b9ee17ae16c6668d313eac2f96dbcda3f291",
];

/** Whether a private key is one that anybody knows or guesses at once. */
export function isKnownKey(key: Hex): boolean {
  const plain = key.toLowerCase();
  // A small number, or a short pattern that repeats.
  if (BigInt(plain) < 2n ** 64n || /^0x(.{1,16})\1+$/.test(plain)) return true;
  return printed.includes(plain) || phrases.some(([phrase, accounts]) => isOfPhrase(plain, phrase, accounts));
}

function isOfPhrase(key: string, phrase: string, accounts: number): boolean {
  // Of the node above the accounts, so that the phrase is stretched once.
  const above = mnemonicToAccount(phrase, { path: "m/44'/60'/0'/0" }).getHdKey();
  for (let index = 0; index < accounts; index += 1) {
    const { privateKey } = above.deriveChild(index);
    if (privateKey && toHex(privateKey) === key) return true;
  }
  return false;
}
