import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** What may still come behind an answer: so many bytes, in so many milliseconds. */
const MOST = { bytes: 16 * 1024 * 1024, milliseconds: 5_000 };

/**
 * Makes an answer the last of its connection, though its client is still sending. Closed at once, the connection
 * would be reset by what comes next, and a client that reads only when it has sent everything would lose the
 * answer. So it is closed for writing alone, and what comes is dropped until the client closes it too, or that
 * has become too much.
 */
export function answerAndLinger(response: ServerResponse): void {
  const { socket } = response;
  response.setHeader("Connection", "close");
  // Node calls this when the last answer of a connection is out.
  if (socket !== null) socket.destroySoon = () => linger(socket);
}

function linger(socket: Socket): void {
  socket.end();
  // The parser is cut off: nothing that comes is a request any more.
  socket.removeAllListeners("data");
  const timer = setTimeout(() => socket.destroy(), MOST.milliseconds);
  socket.once("close", () => clearTimeout(timer));
  socket.once("end", () => socket.destroy());
  let received = 0;
  socket.on("data", (chunk: Buffer) => {
    received += chunk.length;
    if (received > MOST.bytes) socket.destroy();
  });
  socket.resume();
}
