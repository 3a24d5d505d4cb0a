import { expect } from "chai";
import { giveKey } from "../../support/console/asset-page.ts";
import { useConsole } from "../../support/console/console.ts";

type Window = { dispatchEvent(event: unknown): void; PageTransitionEvent: new (...of: unknown[]) => unknown };

describe("a page of the console that is left, in a browser", () => {
  const console = useConsole();

  it("holds no API key any more where the browser keeps it to show it again", async () => {
    const { page } = await console.visit("/register");
    await giveKey(page);
    // A browser that is driven by a test keeps no page: it is told what it would be.
    await page.evaluate(() => {
      const window = globalThis as unknown as Window;
      window.dispatchEvent(new window.PageTransitionEvent("pagehide", { persisted: true }));
    });
    await page.getByLabel("API key", { exact: true }).waitFor();
    expect(await page.getByText("This tab holds an API key.").count()).to.equal(0);
    expect(await page.getByLabel("API key", { exact: true }).inputValue()).to.equal("");
  });
});
