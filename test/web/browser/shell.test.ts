import { expect } from "chai";
import { expectAccessible, expectFitsPhone } from "../../support/console/accessibility.ts";
import { useConsole } from "../../support/console/console.ts";

describe("the frame of the console in a browser", () => {
  const console = useConsole();

  it("shows a page under its name, on a phone, too, and without a fault of accessibility", async () => {
    const { page } = await console.visit("/no-such-page");
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    expect(await page.title()).to.equal("There is no such page · Asset Registry");
    await expectAccessible(page);
    await expectFitsPhone(page);
  });
});
