import type pg from "pg";
import { cancelStatement } from "./cancel.ts";

type Ended = (...answer: unknown[]) => void;
/** A query in the forms that node-postgres takes: a text, a query with values, or one that submits itself. */
type Asked = string | { submit?: unknown; callback?: Ended; query_timeout?: number };

/**
 * Cancels a query that has not been answered in time, closes its connection, and rejects its callers. A query with a
 * `query_timeout` of its own, as one that streams rows must have, is exempt.
 *
 * One timer serves all queries of a connection. node-postgres has one for each `query_timeout`, which doubles the cost
 * of a short query, because V8 then keeps its result until the next full garbage collection.
 */
export function limitAnswers(client: pg.ClientBase, limit: number): void {
  const send = client.query.bind(client) as (...asked: unknown[]) => unknown;
  // Missing from its types.
  const { stream } = (client as unknown as { connection: pg.Connection }).connection;
  /** When each query was sent, the oldest first. */
  const underWay: { since: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isGivenUp = false;

  function watch(): void {
    const [oldest] = underWay;
    if (timer !== undefined || oldest === undefined || isGivenUp) return;
    const left = Math.max(0, oldest.since + limit - performance.now());
    // After a suspension the timer fires before an answer that has arrived; the next turn reads it.
    timer = setTimeout(() => setImmediate(look), left).unref();
  }

  function look(): void {
    timer = undefined;
    const [oldest] = underWay;
    if (oldest !== undefined && oldest.since + limit <= performance.now()) {
      isGivenUp = true;
      // Cancelled first: a pooler forgets the statement as soon as the connection is closed.
      void cancelStatement(client).then(() => stream.destroy(timedOut()));
    } else watch();
  }

  function begin(): () => void {
    const query = { since: performance.now() };
    underWay.push(query);
    watch();
    return () => {
      const place = underWay.indexOf(query);
      if (place >= 0) underWay.splice(place, 1);
    };
  }

  function query(asked: Asked, values?: unknown, callback?: Ended): unknown {
    if (typeof values === "function") return query(asked, undefined, values as Ended);
    if (typeof asked !== "string" && asked.query_timeout) return send(asked, values, callback);
    const end = begin();
    const telling = (told?: Ended): Ended =>
      function tell(this: unknown, ...answer) {
        end();
        told?.apply(this, isGivenUp ? [timedOut()] : answer);
      };
    try {
      // Calls the query's own callback.
      if (typeof asked !== "string" && (asked.submit ?? asked.callback) !== undefined) {
        asked.callback = telling(asked.callback ?? callback);
        return send(asked, values);
      }
      if (typeof callback === "function") return send(asked, values, telling(callback));
      const answer = send(asked, values, callback) as Promise<unknown>;
      // Later errors of a cancelled query are ignored.
      return answer.finally(() => {
        end();
        if (isGivenUp) throw timedOut();
      });
    } catch (error) {
      end();
      throw error;
    }
  }

  client.query = query as typeof client.query;
}

const timedOut = () => new Error("Query read timeout");
