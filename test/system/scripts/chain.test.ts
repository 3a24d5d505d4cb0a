import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { createPublicClient, http, parseEther } from "viem";
import { privateKeyToAccount } from "viem/accounts";

import { type Chain, startChain } from "../../../scripts/local/chain.ts";
import { devAccounts } from "../../../scripts/local/dev-accounts.ts";
import { freePort } from "../../../scripts/local/ports.ts";
import { type Log, openLog } from "../../../scripts/terminal/log.ts";
import { root, runNode, untilGone } from "../../support/program.ts";

describe("startChain", () => {
  let folder: string;
  let log: Log;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "chain-"));
    log = openLog("chain", join(folder, "chain.log"), () => {});
  });
  after(() => {
    log.close();
    rmSync(folder, { recursive: true });
  });

  describe("given a running chain", () => {
    let chain: Chain;
    const client = () => createPublicClient({ transport: http(chain.url), pollingInterval: 50 });

    before(async () => {
      chain = await startChain({ port: 0, blockTime: 1, log });
    });
    after(() => chain.stop());

    it("is chain 31337", async () => {
      expect(await client().getChainId()).to.equal(31_337);
    });

    it("makes a block by the clock, with or without transactions", async () => {
      const before = await client().getBlockNumber({ cacheTime: 0 });
      while ((await client().getBlockNumber({ cacheTime: 0 })) < before + 2n) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });

    it("has funded accounts, whose keys are those of devAccounts", async () => {
      expect(devAccounts).to.have.lengthOf(10);
      for (const { address, privateKey } of devAccounts) {
        expect(privateKeyToAccount(privateKey).address).to.equal(address);
        expect(await client().getBalance({ address })).to.equal(parseEther("10000"));
      }
    });

    it("answers over WebSocket too", async () => {
      const socket = new WebSocket(chain.url.replace("http", "ws"));
      const answer = new Promise((resolve, reject) => {
        socket.onmessage = ({ data }) => resolve(JSON.parse(String(data)));
        socket.onerror = () => reject(new Error("no connection"));
      });
      socket.onopen = () =>
        socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }));
      expect(await answer).to.deep.equal({ jsonrpc: "2.0", id: 1, result: "0x7a69" });
      socket.close();
    });
  });

  it("says which port is taken", async () => {
    const port = await freePort();
    const other = createServer().listen(port, "127.0.0.1");
    const error = await startChain({ port, blockTime: 1, log }).catch((caught: Error) => caught);
    other.close();
    expect(error).to.have.property("message", `Port ${port} is taken; the chain needs it.`);
  });

  it("ends with the process that started it, even when that is killed", async () => {
    const script = `
      const { runProcess } = await import(${JSON.stringify(join(root, "scripts/local/process.ts"))});
      const log = { follow: (stream) => stream.resume() };
      const { child } = runProcess({ script: "scripts/local/chain-server.ts", args: ["0", "1"], log });
      child.once("message", () => {
        console.log(child.pid);
        process.kill(process.pid, "SIGKILL");
      });
    `;
    const { stdout } = await runNode(["--input-type=module", "--eval", script]).ended;
    await untilGone(Number(stdout));
  });
});
