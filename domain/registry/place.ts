import type { Address, Hex } from "viem";
import { codeMismatch } from "./deployed-code.ts";

/** The node's answers about the registry's address. */
type Found = { chainId: number; head: number | undefined; code: Hex; registry: Address };
type Indexed = { chainId: number; registry: Address };

/** Why node, registry and database do not match, which only another setting fixes; undefined where they do. */
export function misplacedRegistry(found: Found, indexed: Indexed | undefined): string | undefined {
  const { chainId, head, code, registry } = found;
  const belongs = indexProblem(found, indexed);
  if (belongs !== undefined) return belongs;
  if (code === "0x") {
    // The index has seen it there, so the node is behind and no setting is wrong.
    if (indexed !== undefined) return undefined;
    return (
      `REGISTRY_ADDRESS ${registry} holds no contract on chain ${chainId}` +
      `${head === undefined ? "" : ` (block ${head})`}: ` +
      "check the address, or deploy the registry with `npm run deploy`."
    );
  }
  const mismatch = codeMismatch(code, registry);
  if (mismatch === undefined) return undefined;
  return (
    `REGISTRY_ADDRESS ${registry} on chain ${chainId} holds another contract than the registry of this version: ` +
    `${mismatch}. Check the address, or run the version of the service that this registry was deployed with.`
  );
}

/** Why an index is not of this registry on this chain. */
export function indexProblem(
  { chainId, registry }: Pick<Found, "chainId" | "registry">,
  indexed: Indexed | undefined,
): string | undefined {
  if (indexed === undefined) return undefined;
  if (indexed.chainId !== chainId) {
    return (
      `RPC_URL serves chain ${chainId}, but the database indexes chain ${indexed.chainId}: ` +
      "use the right RPC_URL, or another DATABASE_URL for this chain."
    );
  }
  if (indexed.registry === registry) return undefined;
  return (
    `REGISTRY_ADDRESS is ${registry}, but the database indexes ${indexed.registry}: ` +
    "use the right REGISTRY_ADDRESS, or another DATABASE_URL for this registry."
  );
}
