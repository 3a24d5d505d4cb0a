import { type Address, concat, encodeFunctionData, type Hex, parseAbi } from "viem";

const erc1271 = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);

/**
 * Bytecode that calls a contract and returns 1 where the answer is the magic value of ERC-1271, else 0. Like the registry
 * it uses STATICCALL, so that a wallet which writes while it checks fails here too, and compares the whole first word of
 * the answer. A plain `eth_call` of the wallet would let it write. The calldata follows the code.
 */
const ask = (contract: Address): Hex =>
  concat([
    // size = CODESIZE - 0x42; CODECOPY(0, 0x42, size)
    "0x60423803806042600039",
    // STATICCALL(GAS, contract, 0, size, 0, 32)
    concat(["0x6000602091600073", contract, "0x5afa"]),
    // … AND RETURNDATASIZE > 31 AND the first word == magic value
    "0x601f3d1116600051631626ba7e60e01b1416",
    // RETURN(0, 32) of that
    "0x60005260206000f3",
  ]);

/** Data of an `eth_call` without `to` that checks a contract's signature. */
export function signatureCheckCall(contract: Address, hash: Hex, signature: Hex): Hex {
  const args = [hash, signature] as const;
  return concat([
    ask(contract),
    encodeFunctionData({ abi: erc1271, functionName: "isValidSignature", args }),
  ]);
}

export const [YES, NO] = [`0x${"1".padStart(64, "0")}`, `0x${"0".repeat(64)}`] as const;
