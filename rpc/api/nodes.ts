import { BaseError, createPublicClient, custom, type PublicClient } from "viem";
import { connectRpc } from "./rpc.ts";

/** The node did not answer; nothing is known about what was asked. */
export class NodeUnavailableError extends Error {
  override readonly name = "NodeUnavailableError";
}

const TIMEOUT = 5_000;
/** Over everything, because a node may ask for a long pause before the second try. */
const DEADLINE = 8_000;
/** A node that failed is asked last for so long, so that not each caller waits for it. */
const REST = 10_000;

/** The nodes of RPC_URL: what the first cannot answer, the next one is asked. Nothing here connects. */
export function connectNodes(urls: readonly string[]) {
  const retryCount = urls.length > 1 ? 0 : 1;
  const nodes = urls.map((url) => {
    const transport = custom({ request: connectRpc(url, TIMEOUT) }, { retryCount });
    const client = createPublicClient({ transport });
    return { client, restUntil: 0, chainId: undefined as Promise<number> | undefined };
  });
  type Node = (typeof nodes)[number];
  /** Of the first node, once it said so: the others must be of the same chain. */
  let expected: number | undefined;

  function chainIdOf(node: Node): Promise<number> {
    node.chainId ??= node.client.getChainId().then(
      (chainId) => {
        if (node === nodes[0]) expected = chainId;
        return chainId;
      },
      (error) => {
        node.chainId = undefined;
        throw error;
      },
    );
    return node.chainId;
  }

  async function askOne<Value>(node: Node, question: (node: Node) => Promise<Value>): Promise<Value> {
    try {
      if (nodes.length > 1) {
        const chainId = await chainIdOf(node);
        if (chainId !== (expected ?? chainId)) throw new NodeUnavailableError(`It is of chain ${chainId}.`);
      }
      return await question(node);
    } catch (error) {
      node.restUntil = Date.now() + REST;
      throw error;
    }
  }

  async function askAll<Value>(question: (node: Node) => Promise<Value>): Promise<Value> {
    const isAwake = ({ restUntil }: Node) => restUntil <= Date.now();
    const inOrder = [...nodes.filter(isAwake), ...nodes.filter((node) => !isAwake(node))];
    let failure: unknown;
    for (const node of inOrder) {
      try {
        return await askOne(node, question);
      } catch (error) {
        failure ??= error;
      }
    }
    throw failure;
  }

  return {
    ask: <Value>(question: (client: PublicClient) => Promise<Value>): Promise<Value> =>
      inTime(askAll(({ client }) => question(client))),
    chainId: (): Promise<number> => inTime(askAll(chainIdOf)),
  };
}

/** Bounds the wait, and turns whatever the node's side throws into one error that says no URL: it may hold a key. */
async function inTime<Value>(answer: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NodeUnavailableError("The node took too long.")), DEADLINE);
  });
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    if (error instanceof NodeUnavailableError) throw error;
    throw new NodeUnavailableError(error instanceof BaseError ? error.shortMessage : String(error));
  } finally {
    clearTimeout(timer);
  }
}
