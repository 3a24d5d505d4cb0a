import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What happens to something that a client says: it arrives, is lost, or arrives and its answer is lost. */
export type Delivery = "arrives" | "lost" | "answer lost";

export type UnreliablePostgres = {
  url: string;
  /** As when the machine of the clients dies: every connection ends, and there will be no other. */
  cut(): Promise<void>;
};

const answerLostAfterMs = 30;

/** A way to a database that breaks a connection when `deliver` says so. */
export async function unreliablePostgres(
  databaseUrl: string,
  deliver: () => Delivery = () => "arrives",
): Promise<UnreliablePostgres> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    const both = [client, database];
    const end = () => {
      for (const socket of both) socket.destroy();
    };
    let deaf = false;
    for (const socket of both) {
      open.add(socket);
      socket.on("error", end);
      socket.on("close", () => {
        open.delete(socket);
        end();
      });
    }
    client.on("data", (chunk) => {
      const delivery = deliver();
      if (delivery === "lost") return end();
      database.write(chunk);
      if (delivery === "arrives") return;
      deaf = true;
      setTimeout(end, answerLostAfterMs);
    });
    database.on("data", (chunk) => {
      if (!deaf) client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    async cut() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
