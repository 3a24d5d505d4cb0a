import { type Address, type Hash, type Hex, numberToHex } from "viem";
import type { Rpc } from "../client/rpc.ts";
import { ChainMovedError } from "../errors/chain-errors.ts";
import { isRejectedCall, isTransient } from "../errors/node-error.ts";
import { type Caller, readAll } from "./caller.ts";
import type { HeaderReader } from "./header-reader.ts";
import { count, quantity } from "./quantities.ts";
import { type RpcCall, rpcCall } from "./rpc-call.ts";

type State = Hex | { blockHash: Hash; requireCanonical: boolean };

const nonceCall = (account: Address, state: State): RpcCall<bigint> =>
  rpcCall("eth_getTransactionCount", [account, state], quantity);

export function accountCalls({ providers, ask, inGroups }: Caller, reader: HeaderReader) {
  /**
   * Nonces of accounts at the end of an indexed block. Where a node accepts no block hash (EIP-1898), they are read by
   * number, between two checks of that number's hash.
   */
  async function readNonces(rpc: Rpc, accounts: readonly Address[], block: Hash): Promise<bigint[]> {
    const noncesAt = (state: State) =>
      readAll(
        rpc,
        accounts.map((account) => nonceCall(account, state)),
      );
    let failure: unknown;
    if (!rpc.abilities.isMissing("state by block hash")) {
      try {
        return await noncesAt({ blockHash: block, requireCanonical: false });
      } catch (error) {
        if (!isRejectedCall(error)) throw error;
        failure = error;
      }
    }
    try {
      const number = await reader.numberOf(rpc, block);
      await reader.expectBlock(rpc, number, block);
      const nonces = await noncesAt(numberToHex(number));
      await reader.expectBlock(rpc, number, block);
      if (failure !== undefined) rpc.abilities.recordMissing("state by block hash");
      return nonces;
    } catch (error) {
      throw failure === undefined || isTransient(error) || error instanceof ChainMovedError ? error : failure;
    }
  }

  return {
    /** The account's nonce at the end of an indexed block. */
    nonceAt: async (account: Address, block: Hash): Promise<bigint> =>
      (await providers.run((rpc) => readNonces(rpc, [account], block)))[0] as bigint,
    /** Nonces of several accounts at the end of a block, in their order. */
    noncesAt: (accounts: readonly Address[], block: Hash): Promise<bigint[]> =>
      inGroups(accounts, (rpc, group) => readNonces(rpc, group, block)),
    /** The account's next nonce by the newest block, or including the node's pool. */
    nextNonce: (account: Address, state: "latest" | "pending"): Promise<number> =>
      ask(rpcCall("eth_getTransactionCount", [account, state], count)),
    /** In the chain's smallest unit. */
    balance: (account: Address) => ask(rpcCall("eth_getBalance", [account, "latest"], quantity)),
  };
}
