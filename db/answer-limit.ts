import type pg from "pg";

/** What a query is asked with, as far as it matters here; a stream of rows is one as well. */
type Asked = string | { submit?: unknown; callback?: Ended; query_timeout?: number };
type Ended = (...answer: unknown[]) => void;

/**
 * Closes a connection that has not answered a query for so many milliseconds; whoever waits gets an error. A query
 * that brings a `query_timeout` of its own has that instead.
 *
 * One timer looks after all queries of a connection. node-postgres has one for each of its `query_timeout`, which
 * costs a quarter of all that a short query takes, because V8 then keeps what it has read until the next collection
 * of everything.
 */
export function limitAnswers(client: pg.ClientBase, limit: number): void {
  const send = client.query.bind(client) as (...asked: unknown[]) => unknown;
  const { stream } = (client as unknown as { connection: pg.Connection }).connection;
  /** When each query was asked, the oldest first. */
  const underWay: { since: number }[] = [];
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    timer = undefined;
    const [oldest] = underWay;
    if (oldest === undefined) return;
    const left = oldest.since + limit - performance.now();
    if (left > 0) timer = setTimeout(look, left).unref();
    else stream.destroy(new Error("Query read timeout"));
  }

  function begin(): () => void {
    const query = { since: performance.now() };
    underWay.push(query);
    if (timer === undefined) timer = setTimeout(look, limit).unref();
    return () => {
      const place = underWay.indexOf(query);
      if (place >= 0) underWay.splice(place, 1);
    };
  }

  function query(asked: Asked, values?: unknown, callback?: Ended): unknown {
    if (typeof values === "function") return query(asked, undefined, values as Ended);
    if (typeof asked !== "string" && asked.query_timeout !== undefined) return send(asked, values, callback);
    const end = begin();
    if (callback !== undefined) {
      return send(asked, values, (...answer: unknown[]) => {
        end();
        callback(...answer);
      });
    }
    if (typeof asked === "string" || asked.submit === undefined) {
      const answer = send(asked, values) as Promise<unknown>;
      answer.then(end, end);
      return answer;
    }
    const { callback: own } = asked;
    asked.callback = (...answer) => {
      end();
      own?.apply(asked, answer);
    };
    return send(asked, values);
  }

  client.query = query as typeof client.query;
}
