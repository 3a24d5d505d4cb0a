import { network } from "hardhat";
import { onStop } from "../terminal/stop-signals.ts";
import { LOCALHOST } from "./ports.ts";

/** The process of the local chain: `node chain-server.ts <port> <seconds between blocks>`. */

const [port, blockTime] = process.argv.slice(2).map(Number);
if (port === undefined || blockTime === undefined) throw new Error("port and block time are missing");

// Nothing is kept, so nothing is lost: connections that are open need not be waited for.
onStop(() => process.exit());

const server = await network.createServer(
  {
    network: "default",
    override: { chainId: 31_337, mining: { auto: false, interval: blockTime * 1000 } },
  },
  LOCALHOST,
  port,
);
const { port: actualPort } = await server.listen();
process.send?.({ port: actualPort });
