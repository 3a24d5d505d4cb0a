import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { useConsole } from "../../support/console/console.ts";
import { tabMegabytes } from "../../support/console/tab-memory.ts";

/** Bytes of the file: more than a number of 32 bits can count. */
const size = 5 * 1024 ** 3;
/** Megabytes that a tab may take while it reads any file. */
const most = 300;
/** Milliseconds in which the file is read on a busy machine. */
const patience = 300_000;

describe("a file of 5 GiB in the browser", () => {
  const console = useConsole();
  let folder: string;
  let path: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "asset-registry-large-"));
    path = join(folder, "large.bin");
    await using handle = await open(path, "w");
    // It takes no room on the disk but for its last bytes.
    await handle.truncate(size - 3);
    await handle.write("end", size - 3);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const drop = (page: Page, file: string) => page.locator("input[type=file]").setInputFiles(file);
  /** Waits until a part of the file has been read. */
  const reads = async (page: Page) => {
    await page.waitForFunction(() => {
      type Bar = { getAttribute(name: string): string | null };
      const { document } = globalThis as unknown as { document: { querySelector(role: string): Bar | null } };
      return Number(document.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow")) > 0;
    });
  };

  it("is hashed as it is, to its last byte, in memory that does not grow with it", async () => {
    const { page } = await console.visit("/verify");
    await page.getByRole("heading", { name: "Verify" }).waitFor();
    const before = await tabMegabytes(console.browser);
    await drop(page, path);
    await reads(page);
    const since = performance.now();
    const measured: number[] = [];
    const end = page.getByText("Unknown here").waitFor({ timeout: patience });
    let isOver = false;
    const ended = end.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      measured.push(await tabMegabytes(console.browser));
      await Promise.race([ended, page.waitForTimeout(500)]);
    }
    await ended;
    const seconds = (performance.now() - since) / 1000;
    const peak = Math.max(...measured);
    globalThis.console.log(
      `      ${Math.round(size / 1e6 / seconds)} MB/s, ${Math.round(before)} MB before, at most ${Math.round(peak)} MB`,
    );
    expect(measured.length).to.be.above(5);
    expect(peak).to.be.below(most);
    await page.getByText("(5368709120 bytes)").waitFor();
    await page.getByText("Hashes of the file").click();
    const hash = createHash("sha256");
    for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(piece);
    await page.getByText(hash.digest("hex")).waitFor();
  }).timeout(2 * patience);

  it("can be given up, and begun again", async () => {
    const { page } = await console.visit("/verify");
    for (let round = 0; round < 2; round += 1) {
      // What is chosen already is not chosen again.
      await page.locator("input[type=file]").setInputFiles([]);
      await drop(page, path);
      await reads(page);
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("progressbar").waitFor({ state: "detached" });
      await page.getByText("Drop a file, its proof, or both").waitFor();
    }
  });

  for (const [what, change, words] of [
    ["written to", (file: string) => appendFile(file, "more"), "The file was changed while it was read"],
    ["removed", (file: string) => rm(file), "The file is no longer there"],
  ] as const) {
    it(`has no hash where it is ${what} while it is read`, async () => {
      const other = join(folder, what);
      await using handle = await open(other, "w");
      await handle.truncate(size / 8);
      const { page } = await console.visit("/verify");
      await drop(page, other);
      await reads(page);
      await change(other);
      await page.getByText("Cannot be checked").waitFor({ timeout: 60_000 });
      await page.getByText(words).waitFor();
    }).timeout(120_000);
  }
});
