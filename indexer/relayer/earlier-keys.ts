import type { Logger } from "pino";
import type { Address } from "viem";
import { inTransaction, type Pool } from "../../db/core/pool.ts";
import {
  forgetNonce,
  openNonces,
  openRelayers,
  type PlannedNonce,
} from "../../db/service/relays/relayer-nonces.ts";
import { findRequest } from "../../db/service/requests/find.ts";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import type { RelayerTrouble } from "../../domain/relayer/problem.ts";
import { isClosed } from "../../domain/request/state.ts";
import type { Header } from "../../rpc/calls/header.ts";
import type { Node } from "../../rpc/node.ts";
import { inTime } from "./ending.ts";
import { reconcile } from "./mined.ts";
import { createSending } from "./sending.ts";

/**
 * Sends the transactions of earlier relayer keys. They cannot be replaced without the key, so they are sent again as
 * stored until they are mined or no longer needed.
 */
export function createEarlierKeys(dependencies: { pool: Pool; node: Node; log: Logger }) {
  const { pool, node, log } = dependencies;
  const send = createSending(dependencies);
  const logged = new Set<Address>();

  const isWanted = async ({ requestId }: PlannedNonce, head: Header): Promise<boolean> => {
    const request = requestId === undefined ? undefined : await findRequest(pool, requestId);
    return request !== undefined && !isClosed(request.facts) && inTime(request, head);
  };

  /** @returns the number of transactions of this key that are not mined */
  async function sendAgain(relayer: Address, head: Header, cursor: IndexPosition): Promise<number> {
    const planned = await openNonces(pool, relayer);
    const expected = Number(await node.nonceAt(relayer, head.hash));
    await reconcile(dependencies, relayer, planned, expected, cursor);
    const unmined = planned.filter(({ nonce, minedBlock }) => minedBlock === undefined && nonce >= expected);
    const wanted = await Promise.all(unmined.map((one) => isWanted(one, head)));
    const needed = unmined.slice(0, wanted.lastIndexOf(true) + 1);
    for (const { nonce } of unmined.slice(needed.length)) {
      await inTransaction(pool, (tx) => forgetNonce(tx, relayer, nonce));
    }
    for (const one of needed) {
      const newest = one.attempts.at(-1);
      if (newest === undefined) continue;
      const found = await node.transaction(newest.hash);
      if (found === undefined || newest.sentBlock === undefined) await send(one, newest, head);
    }
    return needed.length;
  }

  return {
    /**
     * @param current the current relayer, if there is one
     * @returns an earlier relayer whose transactions are not all mined
     */
    pass: async (
      current: Address | undefined,
      head: Header,
      cursor: IndexPosition,
    ): Promise<RelayerTrouble["earlier"]> => {
      let earlier: RelayerTrouble["earlier"];
      for (const relayer of await openRelayers(pool)) {
        if (relayer === current) continue;
        const underWay = await sendAgain(relayer, head, cursor);
        if (underWay === 0) continue;
        earlier = { relayer, underWay };
        if (!logged.has(relayer)) log.error(earlier, "transactions of an earlier RELAYER_KEY are under way");
        logged.add(relayer);
      }
      return earlier;
    },
  };
}
