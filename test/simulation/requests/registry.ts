import {
  type AbiEvent,
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  getAbiItem,
  type Hex,
  hexToBytes,
} from "viem";
import type { AssetDetails } from "../../../domain/asset/asset.ts";
import { registryAbi } from "../../../domain/registry/abi.ts";
import type { Log } from "../../../rpc/logs/logs.ts";

/** What a transaction does to the registry; `gasless`: by the author's signature, whoever sends it. */
export type Call =
  | { kind: "create"; author: Address; asset: Hex; salt: Hex; details: AssetDetails; gasless: boolean }
  | {
      kind: "link" | "revoke";
      author: Address;
      parent: Hex;
      children: readonly Hex[];
      nonce: Hex;
      gasless: boolean;
    }
  | { kind: "void creation" | "void link change"; author: Address; subject: Hex }
  | { kind: "other" };

export type Change = Extract<Call, { kind: "create" | "link" | "revoke" }>;

/** What calls are about: of those of one subject the order matters. */
export function subjectOf(call: Call): Hex | undefined {
  switch (call.kind) {
    case "create":
      return call.asset;
    case "link":
    case "revoke":
      return call.parent;
    case "other":
      return undefined;
    default:
      return call.subject;
  }
}

/** The registry's rules, in memory. */
export function simulatedRegistry() {
  const assets = new Set<Hex>();
  const standing = new Set<string>();
  const voided = new Set<Hex>();
  const usedNonces = new Set<string>();

  function succeeds(call: Call): boolean {
    switch (call.kind) {
      case "other":
        return true;
      case "create":
        return !assets.has(call.asset) && !(call.gasless && voided.has(call.asset));
      case "void creation":
        return !assets.has(call.subject) && !voided.has(call.subject);
      case "void link change":
        return !usedNonces.has(call.author + call.subject);
      default: {
        const { kind, author, parent, children, nonce, gasless } = call;
        if (gasless && usedNonces.has(author + nonce)) return false;
        if (![parent, ...children].every((asset) => assets.has(asset))) return false;
        return children.every((child) => standing.has(parent + child) === (kind === "revoke"));
      }
    }
  }

  function run(call: Call): void {
    switch (call.kind) {
      case "other":
        return;
      case "create":
        assets.add(call.asset);
        voided.delete(call.asset);
        return;
      case "void creation":
        voided.add(call.subject);
        return;
      case "void link change":
        usedNonces.add(call.author + call.subject);
        return;
      default:
        if (call.gasless) usedNonces.add(call.author + call.nonce);
        for (const child of call.children) {
          if (call.kind === "link") standing.add(call.parent + child);
          else standing.delete(call.parent + child);
        }
    }
  }

  return { assets, standing, succeeds, run };
}

type EventName = "AssetCreated" | "LinkAdded" | "LinkRevoked" | "CreationCancelled" | "LinkChangeCancelled";

/** The events of a call that succeeds. */
export function eventsOf(call: Call): Pick<Log, "topics" | "data">[] {
  const event = (
    eventName: EventName,
    args: Record<string, unknown>,
    data: Uint8Array = new Uint8Array(),
  ) => ({
    topics: encodeEventTopics({ abi: registryAbi, eventName, args } as never) as Hex[],
    data,
  });
  switch (call.kind) {
    case "other":
      return [];
    case "create": {
      const { inputs } = getAbiItem({ abi: registryAbi, name: "AssetCreated" }) as AbiEvent;
      const content = encodeAbiParameters(inputs.slice(2), [call.salt, call.details]);
      return [event("AssetCreated", { id: call.asset, author: call.author }, hexToBytes(content))];
    }
    case "void creation":
      return [event("CreationCancelled", { id: call.subject, author: call.author })];
    case "void link change":
      return [event("LinkChangeCancelled", { author: call.author, nonce: BigInt(call.subject) })];
    default: {
      const name = call.kind === "link" ? "LinkAdded" : "LinkRevoked";
      return call.children.map((child) => event(name, { parent: call.parent, child }));
    }
  }
}
