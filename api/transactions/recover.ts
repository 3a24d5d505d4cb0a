import { type Address, type Hex, recoverAddress, type Signature } from "viem";

/**
 * The account whose key signed this digest.
 * @returns undefined where no key can have made the signature
 */
export async function recoverSigner(hash: Hex, { r, s, yParity }: Signature): Promise<Address | undefined> {
  if (yParity !== 0 && yParity !== 1) return undefined;
  try {
    return await recoverAddress({ hash, signature: { r, s, yParity } });
  } catch {
    return undefined; // r, s or v out of range
  }
}
