import { RLP } from "@ethereumjs/rlp";
import type { Hex } from "viem";
import { bytes, hex } from "./trie.ts";

/** Fields of a block as a node answers them, in the order of the header; those of later forks may be missing. */
const fields = [
  ...["parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot", "receiptsRoot", "logsBloom"],
  ...["difficulty", "number", "gasLimit", "gasUsed", "timestamp", "extraData", "mixHash", "nonce"],
  ...[
    "baseFeePerGas",
    "withdrawalsRoot",
    "blobGasUsed",
    "excessBlobGas",
    "parentBeaconBlockRoot",
    "requestsHash",
  ],
];

const quantities = new Set([
  ...["difficulty", "number", "gasLimit", "gasUsed", "timestamp"],
  ...["baseFeePerGas", "blobGasUsed", "excessBlobGas"],
]);

/** RLP of a block's header. */
export function headerRlp(block: Record<string, unknown>): Hex {
  const items = fields
    .filter((name) => block[name] !== undefined && block[name] !== null)
    .map((name) => (quantities.has(name) ? BigInt(block[name] as string) : bytes(block[name] as string)));
  return hex(RLP.encode(items));
}
