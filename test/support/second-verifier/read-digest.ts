import { decodeBase64, hexlify } from "ethers";

/** Bytes of a digest, and the code of its multihash where it has one. */
const methods: Record<string, { bytes: number; code?: string }> = {
  md5: { bytes: 16 },
  sha1: { bytes: 20, code: "11" },
  sha256: { bytes: 32, code: "12" },
  sha384: { bytes: 48, code: "20" },
  sha512: { bytes: 64, code: "13" },
  sha3256: { bytes: 32, code: "16" },
  sha3384: { bytes: 48, code: "15" },
  sha3512: { bytes: 64, code: "14" },
  keccak256: { bytes: 32, code: "1b" },
};

/** The one spelling of a method's name, or undefined for a method that this verifier does not know. */
export function methodOf(name: string): string | undefined {
  const plain = name
    .toLowerCase()
    .replace(/[ _-]/g, "")
    .replace(/^sha2(?=256|384|512)/, "sha");
  return Object.hasOwn(methods, plain) ? plain : undefined;
}

/** The digest of a known method in hex without `0x`, or undefined where its text leaves a doubt. */
export function digestOf(method: string, text: string): string | undefined {
  const { bytes, code } = methods[method] ?? { bytes: 0 };
  if (/^(?:0x)?[0-9a-f]*$/i.test(text)) {
    const hex = text.toLowerCase().replace(/^0x/, "");
    if (hex.length === bytes * 2) return hex;
    const beginning = `${code}${bytes.toString(16)}`;
    const isMultihash = text.length === bytes * 2 + 4 && hex.startsWith(beginning);
    return isMultihash ? hex.slice(4) : undefined;
  }
  const dash = text.indexOf("-");
  const named = methodOf(text.slice(0, Math.max(dash, 0)));
  if (named !== undefined && named !== method) return undefined;
  const base64 = named === undefined ? text : text.slice(dash + 1);
  if (!/^[a-z0-9+/_-]+={0,2}$/i.test(base64)) return undefined;
  try {
    const digest = hexlify(decodeBase64(base64.replaceAll("-", "+").replaceAll("_", "/"))).slice(2);
    return digest.length === bytes * 2 ? digest : undefined;
  } catch {
    return undefined;
  }
}
