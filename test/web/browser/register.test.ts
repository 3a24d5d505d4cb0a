import { createHash } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { keys } from "../../support/api.ts";
import { owner } from "../../support/chain/accounts.ts";
import { expectAccessible, expectFitsPhone } from "../../support/console/accessibility.ts";
import { useConsole } from "../../support/console/console.ts";

const text = "Lease of flat 3\n";
const hash = createHash("sha256").update(text).digest("hex");
const lease = { name: "lease.txt", mimeType: "", buffer: Buffer.from(text) };

describe("the page that registers, in a browser", () => {
  const console = useConsole();

  const giveKey = async (page: Page) => {
    await page.getByRole("textbox", { name: "API key" }).fill(keys["tenant-a"]);
    await page.getByRole("button", { name: "Use this key" }).click();
  };
  const submit = (page: Page) => page.getByRole("button", { name: "Ask for the registration" }).click();

  it("hashes a file, registers it, and ends at the link for its author", async () => {
    const { page } = await console.visit("/register");
    await page.getByRole("heading", { name: "Register", exact: true }).waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await giveKey(page);
    await page.locator("input[type=file]").setInputFiles(lease);
    await page.getByText("the fields below are filled in").waitFor();
    expect(await page.getByLabel("Hash of the file (optional)").inputValue()).to.equal(hash);
    expect(await page.getByLabel("File size in bytes").inputValue()).to.equal("16");
    await page.getByLabel("Name", { exact: true }).fill("Lease 😀");
    await page.getByText("7 of 256 characters").waitFor();
    await page.getByLabel("Author's address").fill(owner.address);
    await expectAccessible(page);
    await submit(page);
    await page.getByText("Ready to sign").waitFor();
    await expectAccessible(page);
    // Who registers several keeps them apart.
    expect(await page.locator("dl").textContent())
      .to.include("Lease 😀")
      .and.include(owner.address);
    const link = (await page.getByRole("link", { name: "Open the page to sign" }).getAttribute("href")) ?? "";
    expect(link).to.match(/\/console\/sign\/[0-9a-f-]{36}$/);
    const { value } = await console.service.get(`/transactions/${link.split("/").pop()}`);
    expect(value.signer).to.equal(owner.address);
    expect(page.url()).to.match(/\/console\/register$/);
    await console.service.carryOut(value.id);
  });

  it("warns of a file that is registered already, and of a weak method", async () => {
    const { page } = await console.visit("/register");
    await page.locator("input[type=file]").setInputFiles(lease);
    await page.getByText("This file is registered already").waitFor();
    await page.getByLabel("Hash method", { exact: true }).selectOption("MD5");
    await page.getByText("MD5 is broken").waitFor();
  });

  it("says at each field what is wrong, its own words and the service's, and keeps the rest", async () => {
    const { page, seen } = await console.visit("/register");
    seen.tolerate(/status of 400|status of 401/);
    await submit(page);
    await page.getByText("Give it a name.").waitFor();
    await page.getByText("Give the address that is to sign.").waitFor();
    await page.getByText("Correct the marked fields: Name, Author's address.").waitFor();
    expect(
      await page
        .getByLabel("Name", { exact: true })
        .evaluate((field) => field === field.ownerDocument.activeElement),
    ).to.equal(true);
    await page.getByLabel("Name", { exact: true }).fill("Lease");
    await page.getByLabel("Author's address").fill(owner.address.replace("F", "f"));
    await page.getByLabel("Data (optional)").focus();
    await page.getByText("has a wrong checksum").waitFor();
    await page.getByLabel("Author's address").fill(owner.address);
    await submit(page);
    await page.getByText("Give your API key first").waitFor();
    await page.getByRole("textbox", { name: "API key" }).fill("wrong");
    await page.getByRole("button", { name: "Use this key" }).click();
    await submit(page);
    await page.getByText("does not take this API key").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Forget" }).click();
    await giveKey(page);
    await page.route("**/assets/", async (route) => {
      const details = [{ field: "uri", message: "must be nicer" }];
      const error = { code: "INVALID_REQUEST", message: "uri must be nicer.", details };
      await route.fulfill({ status: 400, json: { value: null, error } });
    });
    await submit(page);
    await page.getByText("Where the file is must be nicer.").waitFor();
    expect(await page.getByLabel("Name", { exact: true }).inputValue()).to.equal("Lease");
  });

  it("registers once, though the first answer is lost", async () => {
    const { page, seen } = await console.visit("/register");
    seen.tolerate(/ERR_|Failed to load/);
    await giveKey(page);
    await page.getByLabel("Name", { exact: true }).fill("Only once");
    await page.getByLabel("Author's address").fill(owner.address);
    const sent: (string | undefined)[] = [];
    let isLost = true;
    await page.route("**/assets/", async (route) => {
      sent.push((await route.request().headerValue("idempotency-key")) ?? undefined);
      const answer = await route.fetch();
      if (isLost) await route.abort();
      else await route.fulfill({ response: answer });
    });
    await submit(page);
    await page.getByText("it is open whether the request arrived").waitFor();
    isLost = false;
    await submit(page);
    await page.getByText("Ready to sign").waitFor();
    expect(new Set(sent).size).to.equal(1);
    expect(sent.length).to.be.above(1);
    const { value } = await console.service.get("/assets/?name=Only%20once");
    expect(value).to.have.length(1);
  });

  it("takes the author's address from a wallet", async () => {
    const wallet = console.wallet();
    const { page } = await console.visit("/register", { wallets: [wallet] });
    await page.getByRole("button", { name: "Take it from my wallet" }).click();
    await page.getByText("Take the address of").waitFor();
    await page.getByRole("button", { name: "Fox" }).click();
    await page.waitForFunction(
      (address) =>
        (
          globalThis as unknown as { document: { querySelector(name: string): { value: string } } }
        ).document.querySelector("[name=author]").value === address,
      owner.address,
    );
  });
});
