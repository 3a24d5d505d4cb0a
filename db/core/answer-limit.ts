import type pg from "pg";
import { cancelStatement } from "./cancel.ts";

type Ended = (...answer: unknown[]) => void;
/** What is asked, as far as it matters here: a text, a query with its values, or one that sends itself. */
type Asked = string | { submit?: unknown; callback?: Ended; query_timeout?: number };

/**
 * Closes a connection that has not answered a query for so many milliseconds, and cancels the query first, which
 * would go on in the server else; whoever waits gets an error. A query
 * that brings a `query_timeout` of its own has that instead; one that streams rows out of the database has to.
 *
 * One timer looks after all queries of a connection. node-postgres has one for each of its `query_timeout`, which
 * doubles what a short query costs, because V8 then keeps what was read until the next collection of everything.
 */
export function limitAnswers(client: pg.ClientBase, limit: number): void {
  const send = client.query.bind(client) as (...asked: unknown[]) => unknown;
  // Its types do not tell of it.
  const { stream } = (client as unknown as { connection: pg.Connection }).connection;
  /** When each query was asked, the oldest first. */
  const underWay: { since: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isGivenUp = false;

  function watch(): void {
    const [oldest] = underWay;
    if (timer !== undefined || oldest === undefined || isGivenUp) return;
    const left = Math.max(0, oldest.since + limit - performance.now());
    // A process that stood still finds the timer first, and the answer that came meanwhile before the next turn.
    timer = setTimeout(() => setImmediate(look), left).unref();
  }

  function look(): void {
    timer = undefined;
    const [oldest] = underWay;
    if (oldest !== undefined && oldest.since + limit <= performance.now()) {
      isGivenUp = true;
      // A pooler forgets which statement it was as soon as the connection is closed.
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
      // A callback of its own is the one that is called.
      if (typeof asked !== "string" && (asked.submit ?? asked.callback) !== undefined) {
        asked.callback = telling(asked.callback ?? callback);
        return send(asked, values);
      }
      if (typeof callback === "function") return send(asked, values, telling(callback));
      const answer = send(asked, values, callback) as Promise<unknown>;
      // Whatever comes after it was given up is that it was cancelled, or belongs to a connection about to close.
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
