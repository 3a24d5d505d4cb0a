import { getTypesForEIP712Domain, type TypedDataDefinition } from "viem";
import type { z } from "zod";
import type { refusalTypedData, walletTypedData } from "../../domain/asset/typed-data.ts";
import type { typedDataAnswer } from "./schema.ts";

type OwnTypedData = ReturnType<typeof refusalTypedData> | ReturnType<typeof walletTypedData>;

/** Typed data for `eth_signTypedData_v4`, which includes the type of the domain. */
export function forWallets({ domain, types, primaryType, message }: OwnTypedData) {
  return {
    domain,
    types: { EIP712Domain: getTypesForEIP712Domain({ domain }), ...types },
    primaryType,
    message,
  } satisfies z.input<typeof typedDataAnswer>;
}

/** Typed data with amounts: in JSON a uint256 is a decimal string. */
export function inJson({ domain, types, primaryType, message }: TypedDataDefinition) {
  const own = { domain: domain ?? {}, types, primaryType, message };
  const words = JSON.stringify(own, (_, value) => (typeof value === "bigint" ? String(value) : value));
  const parsed = JSON.parse(words) as z.input<typeof typedDataAnswer>;
  return { ...parsed, types: { EIP712Domain: getTypesForEIP712Domain({ domain }), ...parsed.types } };
}
