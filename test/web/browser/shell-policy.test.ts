import { expect } from "chai";
import type { Page } from "playwright-core";
import { useConsole } from "../../support/console/console.ts";

type Timing = { getEntriesByType(type: string): { name: string }[] };

describe("the policy of each page of the console in a browser", () => {
  const console = useConsole();

  /** Path of the page that the open document was loaded for. */
  const documentOf = async (page: Page) => {
    const names = await page.evaluate(() => {
      const { performance } = globalThis as unknown as { performance: Timing };
      return performance.getEntriesByType("navigation").map(({ name }) => name);
    });
    return new URL(names[0] ?? "").pathname;
  };
  const lead = async (page: Page, link: string, title: string) => {
    await page.getByRole("navigation").getByRole("link", { name: link }).click();
    await page.getByRole("heading", { name: title, level: 1 }).waitFor();
  };

  it("is that of the page itself: none is reached in the document of another policy", async () => {
    const { page } = await console.visit("/verify");
    await page.getByRole("heading", { name: "Verify", level: 1 }).waitFor();
    await lead(page, "Register", "Register");
    expect(await documentOf(page)).to.equal("/console/register");
    await page.goBack();
    await page.getByRole("heading", { name: "Verify", level: 1 }).waitFor();
    expect(await documentOf(page)).to.equal("/console/verify");
    await page.goForward();
    await page.getByRole("heading", { name: "Register", level: 1 }).waitFor();
    expect(await documentOf(page)).to.equal("/console/register");
    await lead(page, "Verify", "Verify");
    expect(await documentOf(page)).to.equal("/console/verify");
  });
});
