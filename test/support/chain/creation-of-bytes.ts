import { concat, encodeAbiParameters, type Hex, toFunctionSelector } from "viem";
import { type DetailField, detailFields, mapDetails } from "../../../domain/asset/asset.ts";

/** Call of the registry that creates an asset with texts of any bytes, which need not be UTF-8. */
export function creationOfBytes(salt: Hex, texts: Partial<Record<DetailField, Hex>>): Hex {
  const components = detailFields.map((name) => ({ name, type: "bytes" }) as const);
  const strings = detailFields.map(() => "string").join(",");
  const details = mapDetails((field) => texts[field] ?? "0x");
  return concat([
    toFunctionSelector(`createAsset(bytes32,(${strings}))`),
    encodeAbiParameters([{ type: "bytes32" }, { type: "tuple", components }], [salt, details]),
  ]);
}
