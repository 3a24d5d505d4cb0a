import { sha512_224, sha512_256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import {
  createBLAKE2b,
  createBLAKE2s,
  createBLAKE3,
  createKeccak,
  createMD5,
  createRIPEMD160,
  createSHA1,
  createSHA3,
  createSHA224,
  createSHA256,
  createSHA384,
  createSHA512,
  type IHasher,
} from "hash-wasm";
import type { HashMethod } from "./method-names.ts";

/** A digest in the making; `digest` answers lower-case hex and ends it. */
export type Hasher = { update(bytes: Uint8Array): void; digest(): string };

/** Not in hash-wasm. */
const inJavaScript = { "sha512-224": sha512_224, "sha512-256": sha512_256 };

const inWebAssembly: Record<Exclude<HashMethod, keyof typeof inJavaScript>, () => Promise<IHasher>> = {
  md5: createMD5,
  sha1: createSHA1,
  ripemd160: createRIPEMD160,
  sha224: createSHA224,
  sha256: createSHA256,
  sha384: createSHA384,
  sha512: createSHA512,
  "sha3-224": () => createSHA3(224),
  "sha3-256": () => createSHA3(256),
  "sha3-384": () => createSHA3(384),
  "sha3-512": () => createSHA3(512),
  keccak224: () => createKeccak(224),
  keccak256: () => createKeccak(256),
  keccak384: () => createKeccak(384),
  keccak512: () => createKeccak(512),
  blake2b160: () => createBLAKE2b(160),
  blake2b256: () => createBLAKE2b(256),
  blake2b384: () => createBLAKE2b(384),
  blake2b512: () => createBLAKE2b(512),
  blake2s128: () => createBLAKE2s(128),
  blake2s160: () => createBLAKE2s(160),
  blake2s224: () => createBLAKE2s(224),
  blake2s256: () => createBLAKE2s(256),
  blake3: () => createBLAKE3(),
};

/** Creates a hasher that runs wherever WebAssembly does; in a page with a content security policy, by its leave. */
export async function createHasher(method: HashMethod): Promise<Hasher> {
  if (method === "sha512-224" || method === "sha512-256") {
    const hash = inJavaScript[method].create();
    return { update: (bytes) => void hash.update(bytes), digest: () => bytesToHex(hash.digest()) };
  }
  const hash = (await inWebAssembly[method]()).init();
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest("hex") };
}
