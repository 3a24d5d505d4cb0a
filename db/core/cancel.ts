import { connect } from "node:net";
import type pg from "pg";

/** The cancellation key of a client, which is missing from its types. */
type Cancellable = { processID: number | null; secretKey: number | null; host: string; port: number };

const CANCEL_REQUEST = 80_877_102;
/** Milliseconds until the attempt to cancel times out. */
const PATIENCE = 400;

/**
 * Cancels the running statement of a connection by a second connection, as the protocol requires; a pooler forwards it.
 * Without it the statement of a lost client would go on. Never fails: otherwise the server's own timeout ends it.
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
