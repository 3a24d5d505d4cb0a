import { createServer } from "node:net";

export const LOCALHOST = "127.0.0.1";

/** A port that is free now. Another process may take it before it is used: be ready to ask again. */
export async function freePort(): Promise<number> {
  return (await tryListen(0)) as number;
}

export async function isPortFree(port: number, host = LOCALHOST): Promise<boolean> {
  return (await tryListen(port, host)) !== undefined;
}

function tryListen(port: number, host = LOCALHOST): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE" || error.code === "EACCES") resolve(undefined);
      else reject(error);
    });
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? address?.port : undefined));
    });
  });
}
