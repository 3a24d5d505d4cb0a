import { isDeepStrictEqual } from "node:util";
import { type Address, decodeFunctionData, encodeFunctionData, getAddress, type Hex, isAddress } from "viem";
import { assetDigests } from "../../domain/asset/digests.ts";
import type { Registry } from "../../domain/asset/typed-data.ts";
import { registryAbi } from "../../domain/registry/abi.ts";

export const kinds = ["create", "link", "revoke"] as const;
export type Kind = (typeof kinds)[number];

/** A transaction as the service describes it. */
export type Asked = {
  kind: string;
  assetId: Hex;
  signer: Address;
  chainId: number;
  to: Address | null;
  data: Hex | null;
  value: Hex | null;
  call: { function: string; arguments: Record<string, unknown> };
};

/** A call by its own bytes: what it does, and what it is called in one line. */
export type Understood = { kind: Kind; text: string };

/** The service says something else than the bytes do, or asks for something else than this key is for. */
export class NotAsShownError extends Error {
  override readonly name = "NotAsShownError";
}

/**
 * Reads what the bytes of a transaction do and compares it with what the service says, so that the service
 * cannot have something else signed than it shows. The id of an asset proves each word of it.
 * @throws NotAsShownError
 */
export function understand(asked: Asked, registry: Registry): Understood {
  const { to, data, value, chainId, signer } = asked;
  if (chainId !== registry.chainId) throw lie(`it is for chain ${chainId}, not ${registry.chainId}`);
  if (to === null || !isAddress(to, { strict: false }) || getAddress(to) !== registry.address) {
    throw lie(`it is for ${to}, not the registry ${registry.address}`);
  }
  if (value === null || BigInt(value) !== 0n) throw lie(`it sends ${value} of the chain's currency`);
  const call = decode(data);
  if (!isDeepStrictEqual(shown(call), asked.call)) throw lie("its bytes are another call than the one shown");
  const kind = kindOf[call.functionName];
  if (kind === undefined || kind !== asked.kind) {
    throw lie(`it calls ${call.functionName} and is shown as ${asked.kind}`);
  }
  if (call.functionName === "createAsset") {
    const [salt, details] = call.args;
    if (assetDigests(registry, { author: signer, salt, details }).id !== asked.assetId) {
      throw lie("its content with this author is not that of the asset's id");
    }
    return { kind, text: `create ${JSON.stringify(details.name)} as ${asked.assetId}` };
  }
  const [parent, children] = call.args as [Hex, readonly Hex[]];
  if (parent !== asked.assetId) throw lie(`it changes links of ${parent}, not of ${asked.assetId}`);
  const targets = children.length === 1 ? children[0] : `${children.length} assets`;
  return { kind, text: kind === "link" ? `link ${parent} to ${targets}` : `revoke ${parent} to ${targets}` };
}

const kindOf: Readonly<Record<string, Kind>> = { createAsset: "create", link: "link", revokeLinks: "revoke" };

const lie = (problem: string) => new NotAsShownError(problem);

function decode(data: Hex | null) {
  try {
    const call = decodeFunctionData({ abi: registryAbi, data: data ?? "0x" });
    // Bytes behind the call, which it does not read, would be signed unseen.
    if (encodeFunctionData({ abi: registryAbi, ...call } as never) === data) return call;
  } catch {
    // Told below.
  }
  throw lie("its bytes are no call of the registry");
}

function shown({ functionName, args }: ReturnType<typeof decode>): Asked["call"] {
  const [first, second] = args as readonly unknown[];
  if (functionName === "createAsset") {
    return { function: functionName, arguments: { salt: first, details: second } };
  }
  return { function: functionName, arguments: { parent: first, children: second } };
}
