import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";

const run = promisify(execFile);

/** Megabytes of memory that the processes of a browser's pages have, its buffers and workers included. */
export async function tabMegabytes(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const tabs = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  const { stdout } = await run("ps", ["-o", "rss=", "-p", tabs.join()]);
  return stdout.split("\n").reduce((sum, line) => sum + Number(line), 0) / 1024;
}
