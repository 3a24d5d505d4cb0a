import {
  type Address,
  compactSignatureToSignature,
  concat,
  type Hex,
  hexToBigInt,
  pad,
  parseCompactSignature,
  type Signature,
  size,
  slice,
} from "viem";
import { ApiError } from "../../domain/errors.ts";
import type { Node } from "../../rpc/node.ts";
import { recoverSigner } from "./recover.ts";

/** Half of the order of secp256k1. Above it, `s` is the malleable form of a signature. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

export function hasHighS(s: Hex): boolean {
  return hexToBigInt(s) > HALF_ORDER;
}

/**
 * Checks that `signer` signed this EIP-712 digest: first by its key, which needs no node, then by its contract (ERC-1271).
 * So an account with delegated code (EIP-7702) can still sign with its key.
 * @returns whether the key or the contract accepted it
 * @throws ApiError SIGNATURE_INVALID
 */
export async function checkSignature(
  chain: Node,
  signed: { signer: Address; hash: Hex; signature: Hex },
): Promise<"key" | "contract"> {
  const recovered = await recover(signed.hash, signed.signature);
  if (recovered === signed.signer) return "key";
  if (await chain.acceptedByContract(signed.signer, signed.hash, signed.signature)) return "contract";
  const found = recovered === undefined ? "it is none of a key" : `over this data it is one of ${recovered}`;
  throw new ApiError(
    "SIGNATURE_INVALID",
    `The signature is not one of ${signed.signer}: ${found}, and no contract at that address accepts it without ` +
      "writing anything. Sign exactly the given typed data with the right account.",
  );
}

/**
 * Converts a key's signature to the form that the registry accepts: 65 bytes with v 27 or 28.
 * @returns undefined where no key made it
 */
export function canonical(bytes: Hex): Hex | undefined {
  const signature = parseSignature(bytes);
  if (signature === undefined || hasHighS(signature.s)) return undefined;
  return concat([pad(signature.r), pad(signature.s), signature.yParity === 0 ? "0x1b" : "0x1c"]);
}

/** @returns the account whose key made the signature; undefined where no key made it in its one valid form */
async function recover(hash: Hex, bytes: Hex): Promise<Address | undefined> {
  const signature = parseSignature(bytes);
  if (signature === undefined || hasHighS(signature.s)) return undefined;
  return await recoverSigner(hash, signature);
}

/** 65 bytes with v 27, 28, 0 or 1 as wallets return it, or the compact 64 of EIP-2098. */
function parseSignature(bytes: Hex): Signature | undefined {
  if (size(bytes) === 64) return parseCompact(bytes);
  if (size(bytes) !== 65) return undefined;
  const v = Number.parseInt(bytes.slice(-2), 16);
  const yParity = v >= 27 ? v - 27 : v;
  if (yParity > 1) return undefined;
  return { r: slice(bytes, 0, 32), s: slice(bytes, 32, 64), yParity };
}

function parseCompact(bytes: Hex): Signature | undefined {
  try {
    return compactSignatureToSignature(parseCompactSignature(bytes));
  } catch {
    return undefined; // r, s or v out of range
  }
}
