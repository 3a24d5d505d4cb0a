import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { Contract, JsonRpcProvider, Wallet } from "ethers";
import { network } from "hardhat";
import { registryAbi } from "../../../domain/registry/abi.ts";
import {
  DeployError,
  type DeployOptions,
  deployRegistry,
} from "../../../scripts/contracts/deploy-registry.ts";
import { compiledPin } from "../../../scripts/contracts/pin-registry.ts";

/** First account of the chains that are made for development: funded, and known to everybody. */
const FUNDED = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
const PENNILESS = `0x${"11".repeat(32)}`;
const NO_KEY = `0x${"ff".repeat(32)}`;
const DEPLOY = fileURLToPath(new URL("../../../scripts/deploy.ts", import.meta.url));

type Answer = { result?: unknown; error?: { code: number; message: string } };

describe("deployRegistry", () => {
  let chain: Awaited<ReturnType<typeof network.createServer>>;
  let rpcUrl: string;
  let proxies: Server[] = [];
  let snapshot: unknown;

  // A chain that mines every 2 seconds, as the local chain of `npm start` does.
  before(async () => {
    const mining = { auto: false, interval: 2_000 };
    chain = await network.createServer({ override: { mining } }, "127.0.0.1", 0);
    rpcUrl = `http://127.0.0.1:${(await chain.listen()).port}`;
  });

  // A registry that stands already would be the answer to everything that follows.
  beforeEach(async () => {
    snapshot = await rpc("evm_snapshot", []);
  });
  afterEach(async () => {
    await rpc("evm_revert", [snapshot]);
    for (const proxy of proxies) proxy.close().closeAllConnections();
    proxies = [];
  });

  after(() => chain.close());

  async function rpc(method: string, params: unknown[]): Promise<unknown> {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    return ((await (await fetch(rpcUrl, { method: "POST", headers, body })).json()) as Answer).result;
  }

  /** A node that passes everything on, except that some answers are rewritten. */
  async function proxy(rewrites: Record<string, (answer: Answer) => Answer>): Promise<string> {
    const server = createServer(async (request, response) => {
      const body = await text(request);
      const headers = { "content-type": "application/json" };
      const answer = await fetch(rpcUrl, { method: "POST", headers, body }).then((reply) => reply.json());
      const asked = [JSON.parse(body)].flat() as { id: number; method: string }[];
      const rewritten = ([answer].flat() as (Answer & { id: number })[]).map((one) => {
        const method = asked.find(({ id }) => id === one.id)?.method ?? "";
        return rewrites[method]?.(one) ?? one;
      });
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(Array.isArray(answer) ? rewritten : rewritten[0]));
    });
    proxies.push(server.listen(0, "127.0.0.1"));
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function refusal(options: Partial<DeployOptions>): Promise<string> {
    const error = await deployRegistry({ rpcUrl, deployerKey: FUNDED, ...options }).catch((reason) => reason);
    expect(error).to.be.instanceOf(DeployError);
    return error.message;
  }

  describe("when the chain mines every two seconds", () => {
    it("deploys a registry that answers, and reports each step", async () => {
      const lines: string[] = [];
      const deployed = await deployRegistry({
        rpcUrl,
        deployerKey: FUNDED,
        onProgress: (line) => lines.push(line),
      });

      const provider = new JsonRpcProvider(rpcUrl);
      const receipt = await provider.getTransactionReceipt(deployed.transactionHash ?? "");
      expect(deployed.registry).to.equal((await compiledPin()).address);
      expect(receipt?.status).to.equal(1);
      expect(receipt?.blockNumber).to.equal(deployed.blockNumber);
      const domain = await new Contract(deployed.registry, registryAbi, provider)
        .getFunction("eip712Domain")
        .staticCall();
      expect(domain.verifyingContract).to.equal(deployed.registry);
      expect(domain.chainId).to.equal(BigInt(deployed.chainId));
      provider.destroy();

      expect(lines).to.deep.equal([
        `the node at ${new URL(rpcUrl).host} answers: chain 31337`,
        `deploying from ${new Wallet(FUNDED).address}`,
        `transaction ${deployed.transactionHash} is sent, waiting for its block`,
      ]);
    });
  });

  describe("when nothing listens", () => {
    it("names the host and keeps the rest of the URL to itself", async () => {
      const message = await refusal({ rpcUrl: "http://127.0.0.1:1/a-secret" });
      expect(message).to.equal(
        "No answer from the node at 127.0.0.1:1: is it running, and is RPC_URL right?",
      );
    });
  });

  describe("when the node never answers", () => {
    it("gives up after the time for a request", async () => {
      const silent = createServer(() => {});
      proxies.push(silent.listen(0, "127.0.0.1"));
      await once(silent, "listening");
      const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
      expect(await refusal({ rpcUrl: `http://${host}`, requestTimeoutMs: 100 })).to.equal(
        `No answer from the node at ${host}: is it running, and is RPC_URL right?`,
      );
    });
  });

  describe("when something else answers", () => {
    it("says that it is no node", async () => {
      const url = await proxy({ eth_chainId: () => ({ result: "hello" }) });
      expect(await refusal({ rpcUrl: url })).to.equal(
        `What answers as the node at ${new URL(url).host} is no Ethereum node.`,
      );
    });
  });

  describe("when the key is none", () => {
    it("says so without repeating it", async () => {
      const message = await refusal({ deployerKey: NO_KEY });
      expect(message).to.equal("The deployer's key is no private key of this curve.");
    });
  });

  describe("when the deployer cannot pay", () => {
    it("says who holds what, and what is needed", async () => {
      expect(await refusal({ deployerKey: PENNILESS })).to.match(
        /^The deployer 0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A holds 0\.0 ETH on chain 31337, and the deployment may cost 0\.\d+ ETH\.$/,
      );
    });
  });

  describe("when the transaction reverts", () => {
    it("names the transaction", async () => {
      const url = await proxy({
        eth_getTransactionReceipt: ({ result, ...answer }) => ({
          ...answer,
          result: result === null ? null : Object.assign({}, result, { status: "0x0" }),
        }),
        // It stands on the chain behind, which must not be seen here.
        eth_getCode: ({ result, ...answer }) => ({
          ...answer,
          result: String(result).length > 1_000 ? "0x" : result,
        }),
      });
      expect(await refusal({ rpcUrl: url })).to.match(
        /^The chain reverted the deployment, transaction 0x[0-9a-f]{64}\.$/,
      );
    });
  });

  describe("when the transaction is not mined in time", () => {
    it("names the transaction and says that it may still be mined", async () => {
      const url = await proxy({
        eth_getTransactionReceipt: (answer) => ({ ...answer, result: null }),
      });
      expect(await refusal({ rpcUrl: url, receiptTimeoutMs: 300 })).to.match(
        /^Transaction 0x[0-9a-f]{64} was sent and is not mined after 0\.3 seconds; it may still be\.$/,
      );
    });
  });

  describe("as a command", () => {
    async function run(environment: Record<string, string>, ...args: string[]) {
      const { PATH } = process.env;
      const child = spawn(process.execPath, [DEPLOY, ...args], { env: { PATH, ...environment } });
      const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
      return { code: child.exitCode, out, err };
    }

    it("ends with one line that a script can read", async () => {
      const { code, out, err } = await run({ RPC_URL: rpcUrl, DEPLOYER_KEY: FUNDED });
      expect(err).to.equal("");
      expect(code).to.equal(0);
      const lines = out.trimEnd().split("\n");
      expect(lines.filter((line) => line.startsWith("deployed "))).to.deep.equal(lines.slice(-1));
      const deployed = JSON.parse(lines.at(-1)?.slice("deployed ".length) ?? "");
      expect(Object.keys(deployed)).to.deep.equal(["registry", "chainId", "blockNumber"]);
      expect(deployed.chainId).to.equal(31_337);
    });

    it("ends with the same line where the registry stands already", async () => {
      const first = await deployRegistry({ rpcUrl, deployerKey: FUNDED });
      const { code, out } = await run({ RPC_URL: rpcUrl, DEPLOYER_KEY: FUNDED });
      expect(code).to.equal(0);
      const { transactionHash: _, ...line } = first;
      expect(JSON.parse(out.trimEnd().split("deployed ").at(-1) ?? "")).to.deep.equal(line);
    });

    it("fails with one plain sentence and exit code 1", async () => {
      const { code, out, err } = await run({ RPC_URL: "http://127.0.0.1:1", DEPLOYER_KEY: FUNDED });
      expect(code).to.equal(1);
      expect(out).to.equal("");
      expect(err).to.equal("No answer from the node at 127.0.0.1:1: is it running, and is RPC_URL right?\n");
    });

    it("lists what the environment is missing", async () => {
      const { code, err } = await run({});
      expect(code).to.equal(1);
      expect(err).to.include("RPC_URL is missing").and.include("DEPLOYER_KEY is missing");
    });

    it("does not repeat a key that cannot be read", async () => {
      const { code, out, err } = await run({ RPC_URL: rpcUrl, DEPLOYER_KEY: "a-mistyped-secret" });
      expect(code).to.equal(1);
      expect(out + err)
        .to.include("DEPLOYER_KEY")
        .and.not.include("a-mistyped-secret");
    });

    it("explains itself with --help", async () => {
      const { code, out } = await run({}, "--help");
      expect(code).to.equal(0);
      expect(out).to.include("npm run deploy").and.include("DEPLOYER_KEY");
    });

    it("refuses an option that it does not know", async () => {
      const { code, err } = await run({}, "--nope");
      expect(code).to.equal(1);
      expect(err).to.include("--nope").and.not.include("    at ");
    });
  });
});
