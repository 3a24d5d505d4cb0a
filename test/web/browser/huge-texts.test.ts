import { expect } from "chai";
import { useConsole } from "../../support/console/console.ts";
import { useSigningPage } from "../../support/console/signing-page.ts";

describe("huge texts of others in a browser", () => {
  const console = useConsole();
  const signing = useSigningPage(console);

  for (const [what, text] of [
    ["marks on one letter", `a${"\u0301".repeat(60_000)}`],
    ["characters that nobody sees", "\u200b\u202e".repeat(20_000)],
    ["one after each letter", "a\u200b".repeat(30_000)],
    ["emoji joined to one", "\ud83d\udc68\u200d".repeat(10_000)],
    ["words of one character", "\ufdfa".repeat(20_000)],
  ] as const) {
    it(`are shown whole, and the page does not stand still: ${what}`, async () => {
      const { page } = await signing.open({ data: text });
      await page.getByRole("button", { name: "Show all" }).first().click();
      await page.getByRole("button", { name: "Show less" }).first().waitFor();
      // As many elements take seconds to be drawn as a browser has characters in an instant.
      expect(await page.locator("*").count()).to.be.below(1_000);
      await page.getByRole("button", { name: "Show less" }).first().click();
    });
  }
});
