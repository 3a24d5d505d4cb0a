import type { RegistryEvent } from "asset-registry-client";
import { allPrintable } from "./printable.ts";

/** An event as a line for people: sequence, time, kind, what it is about, and what else is to say. */
export function eventLine(event: RegistryEvent): string {
  const { sequence, time, kind, assetId, walletId, block } = allPrintable(event);
  const {
    kind: change,
    targetAssetIds,
    reason,
    name,
    fileName,
    to,
    ethereumAddress,
  } = allPrintable<Partial<Record<string, unknown>>>(event.data);
  const details = [
    Array.isArray(targetAssetIds) && `${change} ${targetsOf(targetAssetIds)}`,
    typeof to === "string" && `to ${to}`,
    typeof ethereumAddress === "string" && `address ${ethereumAddress}`,
    typeof name === "string" && name !== "" && `"${name}"`,
    typeof fileName === "string" && fileName !== "" && `file ${fileName}`,
    typeof reason === "string" && `because of ${reason}`,
    block !== undefined && `block ${block.number}`,
  ].filter((detail) => typeof detail === "string");
  const about = assetId ?? walletId ?? "";
  return [`${sequence}  ${time}  ${kind}  ${about}`.trimEnd(), ...details].join(", ");
}

function targetsOf([first, ...others]: readonly unknown[]): string {
  return others.length === 0 ? `${first}` : `${first} and ${others.length} more`;
}
