import { createHash, getHashes } from "node:crypto";
import { createHasher, type Hasher, type HashMethod } from "asset-registry-proof";

/** Methods that OpenSSL has under the same name, with the machine's own instructions where it has some. */
const inOpenssl = new Set(getHashes());

/** The fastest hasher that there is here: OpenSSL's, else one in WebAssembly. */
export async function fastHasher(method: HashMethod): Promise<Hasher> {
  try {
    if (inOpenssl.has(method)) {
      const hash = createHash(method);
      return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest("hex") };
    }
  } catch {
    // An OpenSSL in FIPS mode lists methods that it refuses.
  }
  return await createHasher(method);
}
