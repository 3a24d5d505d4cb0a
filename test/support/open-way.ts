import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** A way to a service that passes everything on as it comes, streams too, and keeps the paths that were asked for. */
export async function startOpenWay(url: string) {
  const paths: string[] = [];
  const server = createServer((asked, response) => {
    const { method, headers, url: path = "" } = asked;
    paths.push(path);
    const onward = request(`${url}${path}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
