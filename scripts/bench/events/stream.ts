import { connect } from "node:net";

const block = /(?:^|\n)id: (\d+)\r?\nevent: (\S+)/g;

/**
 * Reads a stream of events over a bare connection, because it shares the processor with the API that it measures: only
 * the position of each event is looked at.
 * @param told called for each event, with its sequence number
 * @returns when the stream has begun, what closes it
 * @throws when the answer is not 200, or ends before the stream has begun
 */
export async function openStream(
  url: string,
  headers: Record<string, string>,
  told: (sequence: number) => void,
): Promise<() => void> {
  const { hostname, port, host, pathname, search } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const lines = Object.entries({ host, accept: "text/event-stream", ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${head}\r\n`);
  let rest = "";
  let isAnswered = false;
  await new Promise<void>((begun, failed) => {
    socket.on("data", (part) => {
      const text = rest + part.toString("latin1");
      if (!isAnswered && !text.startsWith("HTTP/1.1 200")) {
        return failed(new Error(`GET ${pathname}${search} was answered ${text.slice(0, 600)}`));
      }
      isAnswered = true;
      // Whole blocks alone: an empty line ends each.
      const end = text.lastIndexOf("\n\n") + 1;
      rest = text.slice(end);
      for (const [, sequence, kind] of text.slice(0, end).matchAll(block)) {
        if (kind === "ready") begun();
        else told(Number(sequence));
      }
    });
    socket.on("error", failed);
    socket.on("close", () => failed(new Error(`GET ${pathname}${search}: the stream has ended`)));
  });
  return () => socket.destroy();
}
