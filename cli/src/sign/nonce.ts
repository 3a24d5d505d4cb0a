import { readQuantity } from "asset-registry-proof";
import { askNode, hostOf } from "../blocks/node.ts";
import type { Io } from "../io.ts";
import { Problem } from "../problem.ts";
import type { OpenTransaction } from "./expected.ts";
import type { Signer } from "./signer.ts";

/** Numbers of transactions that an account has sent: those in blocks, and those that a node knows. */
type Sent = { inBlocks: number; known: number };

/**
 * Holds the nonce that the service proposes against the nodes of the author's own choice, if there are any.
 * @returns what its signature would do beside the change, in a sentence; undefined where it does nothing else
 * @throws Problem where a node does not answer, is of another chain, or says that the nonce is used up
 */
export async function warningOfNonce(
  { nextNonce, chainId }: OpenTransaction,
  { key, rpc }: Signer,
  io: Io,
): Promise<string | undefined> {
  for (const url of rpc) {
    const { inBlocks, known } = await sentBy(key.address, url, chainId, io);
    const host = hostOf(url);
    if (nextNonce < inBlocks) {
      const text = `The service proposes the nonce ${nextNonce}, and ${host} has ${inBlocks} of your transactions in blocks`;
      throw new Problem("nonce-used", `${text}: it could not be mined. Nothing was signed.`);
    }
    if (nextNonce < known) {
      return `With the nonce ${nextNonce} it takes the place of a transaction of yours that ${host} knows and no block has.`;
    }
    if (nextNonce > known) {
      return `With the nonce ${nextNonce} it waits until ${nextNonce - known} more transactions of yours were sent: ${host} knows ${known}.`;
    }
  }
  return undefined;
}

async function sentBy(address: string, url: string, chainId: number, io: Io): Promise<Sent> {
  const [chain, inBlocks, known] = (
    await Promise.all([
      askNode(url, "eth_chainId", [], io),
      askNode(url, "eth_getTransactionCount", [address, "latest"], io),
      askNode(url, "eth_getTransactionCount", [address, "pending"], io),
    ])
  ).map(readQuantity);
  const host = hostOf(url);
  if (chain !== chainId) {
    throw new Problem(
      "rpc-other-chain",
      `${host} is a node of chain ${chain}, and you sign for chain ${chainId}.`,
    );
  }
  if (inBlocks === undefined || known === undefined) {
    throw new Problem("rpc-refused", `${host} does not say how many transactions you have sent.`);
  }
  return { inBlocks, known };
}
