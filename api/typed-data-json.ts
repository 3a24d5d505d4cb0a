import { getTypesForEIP712Domain } from "viem";
import type { z } from "zod";
import type { refusalTypedData, walletTypedData } from "../domain/typed-data.ts";
import type { typedDataAnswer } from "./schemas/transaction.ts";

type OwnTypedData = ReturnType<typeof refusalTypedData> | ReturnType<typeof walletTypedData>;

/** Typed data as `eth_signTypedData_v4` takes it: the type of the domain belongs to it. */
export function forWallets({ domain, types, primaryType, message }: OwnTypedData) {
  return {
    domain,
    types: { EIP712Domain: getTypesForEIP712Domain({ domain }), ...types },
    primaryType,
    message,
  } satisfies z.input<typeof typedDataAnswer>;
}
