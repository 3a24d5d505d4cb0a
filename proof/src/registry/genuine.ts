import { equal } from "../bytes/bytes.ts";
import { fromHex } from "../bytes/hex.ts";

/**
 * Address of the registry of this version on every chain, by CREATE2: only its own creation code can have made a
 * contract there. The code that stands at an address proves nothing, since another creation code may have filled
 * the storage and then left the registry's code behind. A test compares it with deployments/registry.json.
 */
export const registryAddress = "0xD93890a3150f24626205110AeAAe5d727cc68547";

const genuine = fromHex(registryAddress.toLowerCase()) as Uint8Array;

/** Whether an address is that of the registry of this version. */
export const isGenuine = (registry: Uint8Array): boolean => equal(registry, genuine);
