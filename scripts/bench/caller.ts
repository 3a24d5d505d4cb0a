import { connect, type Socket } from "node:net";

export type Answer = { status: number; text: string };
type Call = {
  host: string;
  message: string;
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
};
type Connection = { socket: Socket; call: Call | undefined; parts: Buffer[]; used: boolean };

/**
 * HTTP client over keep-alive connections, one call on each at a time. It shares the processor with the processes
 * that it measures, so it parses only the status, the length and the body, which costs far less than Node's client.
 * @param most connections to one host; further calls wait
 */
export function createCaller(most = 100) {
  const idle = new Map<string, Connection[]>();
  const open = new Map<string, number>();
  const waiting = new Map<string, Call[]>();

  function listOf<Item>(lists: Map<string, Item[]>, host: string): Item[] {
    const list = lists.get(host) ?? [];
    lists.set(host, list);
    return list;
  }

  function place(call: Call): void {
    const { host } = call;
    const kept = idle.get(host)?.pop();
    if (kept !== undefined) send(kept, call);
    else if ((open.get(host) ?? 0) < most) send(begin(host), call);
    else listOf(waiting, host).push(call);
  }

  function begin(host: string): Connection {
    open.set(host, (open.get(host) ?? 0) + 1);
    const [name, port] = host.split(":");
    const socket = connect({ host: name as string, port: Number(port), noDelay: true });
    const connection: Connection = { socket, call: undefined, parts: [], used: false };
    socket.on("data", (part) => take(host, connection, part));
    socket.on("error", () => undefined);
    socket.on("close", () => {
      open.set(host, (open.get(host) ?? 0) - 1);
      const at = listOf(idle, host).indexOf(connection);
      if (at !== -1) listOf(idle, host).splice(at, 1);
      const next = waiting.get(host)?.shift();
      if (next !== undefined) place(next);
      const { call, parts, used } = connection;
      if (call === undefined) return;
      // The other side closed an idle connection just as it was used again: nothing got through.
      if (used && parts.length === 0) place(call);
      else call.reject(new Error(`${host} closed the connection instead of answering`));
    });
    return connection;
  }

  function send(connection: Connection, call: Call): void {
    connection.call = call;
    connection.socket.write(call.message);
  }

  function take(host: string, connection: Connection, part: Buffer): void {
    connection.parts.push(part);
    const { call, parts } = connection;
    const bytes = parts.length === 1 ? part : Buffer.concat(parts);
    const end = bytes.indexOf("\r\n\r\n");
    if (end === -1 || call === undefined) return;
    const head = bytes.toString("latin1", 0, end);
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1]);
    if (!(bytes.length >= end + 4 + length)) return;
    connection.call = undefined;
    connection.parts = [];
    connection.used = true;
    const next = waiting.get(host)?.shift();
    if (next !== undefined) send(connection, next);
    else listOf(idle, host).push(connection);
    call.resolve({ status: Number(head.slice(9, 12)), text: bytes.toString("utf8", end + 4) });
  }

  return {
    ask: (method: string, url: string, headers: Record<string, string>, body = ""): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const { host, pathname, search } = new URL(url);
        const lines = Object.entries({ ...headers, "content-length": Buffer.byteLength(body) });
        const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
        const message = `${method} ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n${head}\r\n${body}`;
        place({ host, message, resolve, reject });
      }),
    /** Ends the connections, which would keep the process alive. */
    close(): void {
      for (const connections of idle.values()) for (const { socket } of connections) socket.destroy();
    },
  };
}
