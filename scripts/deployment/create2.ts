import { type Address, concat, getContractAddress, type Hex } from "viem";

/**
 * Where the registry gets its address: from a factory that stands at one address on every chain, the salt and the
 * creation code, and from nothing else. The deployer's account and its nonce have no part in it.
 */

/** The deterministic deployment proxy: it creates what it is called with, 32 bytes of salt before the code. */
export const FACTORY = "0x4e59b44847b379578588920cA78FbF26c0B4956C";

/** The factory's whole runtime code: no owner, no storage, no caller check. */
export const FACTORY_CODE =
  "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3";

/** Zero: the creation code alone makes the address of a version unique. */
export const SALT: Hex = `0x${"00".repeat(32)}`;

/** Calldata with which the factory creates the contract. */
export const creationCall = (creationCode: Hex, salt: Hex): Hex => concat([salt, creationCode]);

/**
 * The factory's own creation, signed once without a key: the signature is a pattern, so the account behind it
 * exists nowhere else and can send nothing but this. It names no chain, which makes it valid on every one.
 */
export const FACTORY_CREATION = {
  signer: "0x3fAB184622Dc19b6109349B94811493BF2a45362",
  hash: "0xeddf9e61fb9d8f5111840daef55e5fde0041f5702856532cdbb5a02998033d26",
  gasPrice: 100_000_000_000n,
  /** Gas price times gas limit, which the account must hold. */
  costs: 10_000_000_000_000_000n,
  raw:
    "0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe" +
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe036016000816020823780358282" +
    "34f58015156039578182fd5b8082525050506014600cf31ba0" +
    `${"22".repeat(32)}a0${"22".repeat(32)}`,
} as const;

/** The address of a contract whose creation code has this hash, with its checksum. */
export function addressOf(creationCodeHash: Hex, salt: Hex): Address {
  return getContractAddress({ opcode: "CREATE2", from: FACTORY, salt, bytecodeHash: creationCodeHash });
}
