import { expect } from "chai";
import type { Page } from "playwright-core";
import { other, owner } from "../../support/chain/accounts.ts";
import { expectAccessible, expectFitsPhone } from "../../support/console/accessibility.ts";
import { useConsole } from "../../support/console/console.ts";
import { eventually } from "../../support/eventually.ts";

const sha256OfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const oddName = "invoice\u202efdp.exe";

describe("the start page of the console in a browser", () => {
  const console = useConsole();
  let lease: string;

  before(async () => {
    const { service } = console;
    lease = (await service.createAsset({ name: "Lease agreement", method: "SHA2-256", hash: sha256OfAbc }))
      .id;
    await service.createAsset({ name: oddName }, other);
    await service.createAsset({ name: "Annex to the lease" });
    await service.rig.mine(5);
    await service.rig.caughtUp();
  });

  const search = async (page: Page, text: string) => {
    await page.getByRole("searchbox", { name: "Search" }).fill(text);
    await page.getByRole("searchbox", { name: "Search" }).press("Enter");
  };
  /** Waits until these assets are listed, by their names. */
  const lists = (page: Page, names: string[]) =>
    eventually(
      `the list of ${names}`,
      () => page.locator("article h3").allInnerTexts(),
      (listed) => String(listed) === String(names),
      10,
    );
  const results = (page: Page) => page.getByRole("region", { name: "Results" });

  it("shows the newest assets and the state of the index", async () => {
    const { page } = await console.visit("/");
    await page.getByRole("link", { name: "Annex to the lease" }).waitFor();
    await lists(page, ["Annex to the lease", "invoiceU+202Efdp.exe", "Lease agreement"]);
    await page.getByText("An asset is final once").waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
  });

  it("shows what is registered while it is open", async () => {
    const { page } = await console.visit("/");
    await page.getByRole("link", { name: "Annex to the lease" }).waitFor();
    await console.service.createAsset({ name: "Just now" });
    await page.getByRole("link", { name: "Just now" }).waitFor();
    await lists(page, ["Just now", "Annex to the lease", "invoiceU+202Efdp.exe", "Lease agreement"]);
  });

  it("finds an asset by its id, its author, its hash in any form, and its name", async () => {
    const { page, seen } = await console.visit("/");
    const base64 = Buffer.from(sha256OfAbc, "hex").toString("base64");
    // The browser notes that no asset has the hash as its id.
    seen.tolerate(/status of 404/);
    for (const text of [
      lease,
      lease.slice(2).toUpperCase(),
      sha256OfAbc,
      `sha256-${base64}`,
      "LEASE agree",
    ]) {
      await search(page, text);
      await results(page).getByText("1 asset found.").waitFor();
      await lists(page, ["Lease agreement"]);
    }
    await search(page, "lease");
    await results(page).getByText("2 assets found.").waitFor();
    await search(page, other.address.toLowerCase());
    await results(page).getByText("by this author").waitFor();
    await lists(page, ["invoiceU+202Efdp.exe"]);
    await expectAccessible(page);
    await page.goBack();
    await results(page).getByText("2 assets found.").waitFor();
    expect(await page.getByRole("searchbox", { name: "Search" }).inputValue()).to.equal("lease");
  });

  it("leads to the page to sign on, and to an asset's page", async () => {
    const { service } = console;
    const { value } = await service.post("/assets/", { name: "To sign", author: owner.address });
    const { page } = await console.visit("/");
    await search(page, value.signUrl);
    await page.waitForURL(`**/console/sign/${value.transactionId}`);
    await page.goto(`${service.url}/console/`);
    await page.getByRole("link", { name: "Lease agreement" }).click();
    await page.waitForURL(`**/console/assets/${lease}`);
  });

  it("finds the assets that bear the hash of a file, which is not uploaded", async () => {
    const { page } = await console.visit("/");
    const sent: string[] = [];
    page.on("request", (request) => void (request.method() === "GET" || sent.push(request.url())));
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "a.pdf", mimeType: "", buffer: Buffer.from("abc") });
    await page.getByText("1 asset found.").waitFor();
    await lists(page, ["Lease agreement"]);
    await page.getByText("same file by SHA2-256").waitFor();
    await page.getByRole("button", { name: "Clear the search" }).click();
    await page
      .locator("input[type=file]")
      .setInputFiles({ name: "b", mimeType: "", buffer: Buffer.from("abcd") });
    await page.getByText("No asset on the chain bears the hash of this file").waitFor();
    await expectAccessible(page);
    expect(sent).to.deep.equal([]);
  });

  it("says what is wrong with a text that cannot be looked for, and that nothing was found", async () => {
    const { page } = await console.visit("/");
    await search(page, `${lease.slice(0, 10)}…${lease.slice(-6)}`);
    await page.getByText("Copy the whole").waitFor();
    await search(page, lease.slice(0, -1));
    await page.getByText("has 63 hex digits").waitFor();
    await search(page, "nothing of this name");
    await results(page).getByText("Nothing on the chain answers this.").waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
  });

  it("says that the service cannot be reached, and finds again when it is back", async () => {
    const { page, seen, context } = await console.visit("/");
    await page.getByRole("link", { name: "Lease agreement" }).waitFor();
    seen.tolerate(/ERR_FAILED|Failed to load resource/);
    await context.route("**/public/assets/**", (route) => route.abort());
    await search(page, "lease");
    await page.getByText("cannot be reached just now. Check").waitFor({ timeout: 14_000 });
    await context.unroute("**/public/assets/**");
    await page.getByRole("button", { name: "Try again" }).click();
    await results(page).getByText("2 assets found.").waitFor();
  });
});
