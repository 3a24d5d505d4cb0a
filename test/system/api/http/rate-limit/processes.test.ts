import { expect } from "chai";
import { freePort } from "../../../../../scripts/local/ports.ts";
import { keys, nowhere, registry } from "../../../../support/api.ts";
import { createDatabase } from "../../../../support/database/postgres.ts";
import { runNode } from "../../../../support/program.ts";

describe("rate limits of several API processes", () => {
  it("are one limit, with at most a tenth more for each process", async () => {
    const database = await createDatabase();
    const ports = [await freePort(), await freePort()];
    const programs = ports.map((port) =>
      runNode(["api/main.ts"], {
        env: {
          PATH: process.env["PATH"],
          PORT: String(port),
          DATABASE_URL: database.url,
          RPC_URL: nowhere,
          REGISTRY_ADDRESS: registry.address,
          OIDC_ISSUER: nowhere,
          API_KEYS: `tenant-a:${keys["tenant-a"]}`,
          RATE_LIMIT: "200",
        },
      }),
    );
    try {
      for (const program of programs) await program.until("listening");
      const ask = async (port: number) => {
        const answer = await fetch(`http://127.0.0.1:${port}/assets/0x${"0".repeat(64)}`, {
          headers: { "X-API-KEY": keys["tenant-a"] },
        });
        await answer.arrayBuffer();
        return answer.status;
      };
      const counts = new Map<number, number>();
      for (let round = 0; round < 30; round += 1) {
        const asked = ports.flatMap((port) => Array.from({ length: 10 }, () => ask(port)));
        for (const status of await Promise.all(asked)) counts.set(status, (counts.get(status) ?? 0) + 1);
      }
      expect([...counts.keys()]).to.have.members([404, 429]);
      expect(counts.get(404)).to.be.within(200, 240);
    } finally {
      for (const { child } of programs) child.kill("SIGKILL");
      await Promise.all(programs.map(({ ended }) => ended));
      await database.drop();
    }
  });
});
