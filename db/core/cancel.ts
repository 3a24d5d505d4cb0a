import { connect } from "node:net";
import type pg from "pg";

/** What of a client its types do not tell: what the server gave it to cancel its statements by. */
type Cancellable = { processID: number | null; secretKey: number | null; host: string; port: number };

const CANCEL_REQUEST = 80_877_102;
/** Milliseconds that a server or pooler has to take the request. */
const PATIENCE = 400;

/**
 * Asks the server to end the statement that a connection is at, on a connection of its own, as the protocol has
 * it; a pooler passes it on. Without it a statement goes on whose client has gone. Never fails: what cannot be
 * cancelled ends by the server's own limit.
 */
export async function cancelStatement(client: pg.ClientBase): Promise<void> {
  const { processID, secretKey, host, port } = client as unknown as Cancellable;
  if (processID === null || secretKey === null) return;
  const request = Buffer.alloc(16);
  request.writeInt32BE(request.length, 0);
  request.writeInt32BE(CANCEL_REQUEST, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  await new Promise<void>((resolve) => {
    const socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    const timer = setTimeout(() => socket.destroy(), PATIENCE);
    socket.once("connect", () => socket.end(request));
    // The server closes it when the request has reached the statement.
    socket.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    socket.on("error", () => undefined);
    socket.resume();
  });
}
