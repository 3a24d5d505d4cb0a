import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi, size } from "viem";
import type { Pool } from "../../db/core/pool.ts";
import { highestDataFee } from "../../db/service/relays/relayer-nonces.ts";
import { isTransient, NodeError } from "../../rpc/errors/node-error.ts";
import type { Node } from "../../rpc/node.ts";

/** Gas price oracle of OP Stack rollups, at the same address on each: https://docs.optimism.io, "GasPriceOracle". */
const oracle = "0x420000000000000000000000000000000000000F";
const oracleAbi = parseAbi(["function getL1Fee(bytes data) view returns (uint256)"]);
/** Approximate bytes of a transaction besides its data. */
const envelopeBytes = 200;
const envelope = "ff".repeat(envelopeBytes);
/** Margin for a rise until the transaction is executed. */
const margin = { of: 3n, from: 2n };
const askAgainMs = 3_600_000;

/**
 * The data fee that a rollup charges beside gas, in wei: the higher of its oracle's and that of earlier receipts per
 * byte, plus half. 0 on other chains.
 */
export function createDataFee(pool: Pool, node: Node, now: () => number = Date.now) {
  let withoutOracleSince: number | undefined;

  async function oracleSays(data: Hex): Promise<bigint> {
    if (withoutOracleSince !== undefined && now() - withoutOracleSince < askAgainMs) return 0n;
    try {
      const call = encodeFunctionData({
        abi: oracleAbi,
        functionName: "getL1Fee",
        args: [`${data}${envelope}`],
      });
      const answer = await node.call(oracle, call);
      if (size(answer) === 32) {
        return decodeFunctionResult({ abi: oracleAbi, functionName: "getL1Fee", data: answer });
      }
    } catch (error) {
      if (!(error instanceof NodeError) || isTransient(error)) throw error;
    }
    withoutOracleSince = now();
    return 0n;
  }

  return async function dataFee(data: Hex): Promise<bigint> {
    const [said, perByte] = await Promise.all([oracleSays(data), highestDataFee(pool)]);
    const measured = perByte * BigInt(size(data) + envelopeBytes);
    return ((said > measured ? said : measured) * margin.of) / margin.from;
  };
}

export type DataFee = ReturnType<typeof createDataFee>;
