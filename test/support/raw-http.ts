import { connect } from "node:net";

/** Sends bytes as they are, and answers everything that comes back until the connection ends or is silent. */
export async function sendRaw(port: number, bytes: string | Buffer, silence = 1_000): Promise<string> {
  return await new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    let received = "";
    const end = () => {
      socket.destroy();
      resolve(received);
    };
    socket.setTimeout(silence, end);
    socket.on("data", (chunk) => {
      received += chunk.toString("utf8");
    });
    socket.on("end", end);
    socket.on("error", (error) => (received === "" ? reject(error) : end()));
  });
}

/** Status, headers and body of the first answer in it. */
export function readRaw(answer: string) {
  const [head = "", body = ""] = answer.split("\r\n\r\n", 2);
  const [statusLine = "", ...headers] = head.split("\r\n");
  return {
    status: Number(statusLine.split(" ")[1]),
    headers: new Map(
      headers.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    ),
    body,
  };
}
