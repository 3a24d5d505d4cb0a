import chromium from "@sparticuz/chromium";
import { type Browser, chromium as playwright } from "playwright-core";

/** Chromium from npm on Linux, where it is unpacked into the folder; elsewhere the Chrome that is installed. */
export async function openBrowser(folder: string): Promise<Browser> {
  if (process.platform !== "linux") return await playwright.launch({ channel: "chrome" });
  const outer = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  try {
    chromium.setGraphicsMode = false;
    const executablePath = await chromium.executablePath();
    return await playwright.launch({ executablePath, chromiumSandbox: false });
  } finally {
    if (outer === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = outer;
  }
}
