import { expect } from "chai";
import type { Page } from "playwright-core";
import { toHex } from "viem";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { other, owner } from "../../support/chain/accounts.ts";
import { creationOfBytes } from "../../support/chain/creation-of-bytes.ts";
import { expectAccessible, expectFitsPhone } from "../../support/console/accessibility.ts";
import { giveKey, lease, panel } from "../../support/console/asset-page.ts";
import { registerAll } from "../../support/console/chain-writes.ts";
import { useConsole } from "../../support/console/console.ts";
import { eventually } from "../../support/eventually.ts";

describe("an asset's page in a browser", () => {
  const explorer = "https://explorer.example";
  const console = useConsole({ environment: { CHAIN_EXPLORER_URL: explorer } });
  let id: AssetId;

  before(async () => {
    const { rig } = console.service;
    [id] = (await registerAll(rig, [lease])) as [AssetId];
    await rig.mine(4);
    await rig.caughtUp();
  });

  const visit = (asset: string | undefined) => console.visit(`/assets/${asset}`);

  it("shows every field, who registered it and when, and that the texts are the registered ones", async () => {
    const { page } = await visit(id);
    await page.getByRole("heading", { level: 1, name: lease.name }).waitFor();
    expect(await page.title()).to.equal(`${lease.name} · Asset Registry`);
    for (const text of [
      "lease.pdf",
      "pdf",
      "123456",
      "123 kB",
      "SHA2-256",
      lease.hash,
      "leads to example.org",
    ]) {
      await panel(page, "What was registered").getByText(text, { exact: false }).first().waitFor();
    }
    const uri = page.getByRole("link", { name: lease.uri });
    expect(await uri.getAttribute("href")).to.equal(lease.uri);
    expect(await uri.getAttribute("rel"))
      .to.include("noopener")
      .and.to.include("noreferrer");
    const registration = panel(page, "Registration");
    await registration.getByText(owner.address, { exact: true }).waitFor();
    expect(await registration.getByRole("link", { name: "explorer" }).first().getAttribute("href")).to.equal(
      `${explorer}/address/${owner.address}`,
    );
    const check = panel(page, "Are these the registered texts?");
    expect(await check.getByText("agrees.").count()).to.equal(3);
    await expectAccessible(page);
    await expectFitsPhone(page);
    await page.getByRole("link", { name: "Check a file against it" }).first().click();
    await page.waitForURL(`**/console/verify?asset=${id}`);
  });

  it("shows odd names and addresses as text that does nothing", async () => {
    const { rig } = console.service;
    const odd = [
      ["invoice\u202efdp.exe", "javascript:alert(1)"],
      ["a\u200d\u200b\u2066b\u2069", "jaVaScript:alert(1)"],
      [`e${"\u0301".repeat(300)}`, "\0javascript:alert(1)"],
      ["<img src=x onerror=alert(1)>", "data:text/html,<script>alert(1)</script>"],
      ["x".repeat(1_000), " vbscript:alert(1)"],
      ["שלום \u202bעולם", "//evil.test"],
      ["lookalike", "https://good.test@evil.test/"],
      ["names", "ipfs://QmHash"],
    ] as const;
    const made = await registerAll(
      rig,
      odd.map(([name, uri]) => ({ name, uri })),
    );
    await rig.caughtUp();
    const { page } = await console.visit("/");
    page.on("dialog", () => expect.fail("A text of the chain was run."));
    for (const [at, [name, uri]] of odd.entries()) {
      await page.goto(`${console.service.url}/console/assets/${made[at]}`);
      const registered = panel(page, "What was registered");
      await registered.waitFor();
      const isLink = uri.startsWith("https:");
      expect(await registered.getByRole("link").count(), uri).to.equal(isLink ? 1 : 0);
      await registered.getByText(isLink ? "leads to evil.test" : "it is no plain web address").waitFor();
      expect(await page.locator("main img, main script").count()).to.equal(0);
      if (name.includes("\u202e")) await registered.getByText("U+202E").waitFor();
      // Other texts keep their direction and their place.
      expect(await directionOf(page, "Where the file is")).to.equal("ltr");
      await expectFitsPhone(page);
    }
    await expectAccessible(page);
  });

  it("shows the beginning of a text of the greatest length, more on demand, and checks it whole", async () => {
    const { rig } = console.service;
    const [long] = await registerAll(rig, [{ name: "Long", data: "word ".repeat(50_000) }]);
    await rig.caughtUp();
    const { page } = await visit(long);
    const registered = panel(page, "What was registered");
    await registered.getByRole("button", { name: "Show all" }).click();
    await registered.getByText("Shows 70000 of 250000 characters.").waitFor();
    expect(await panel(page, "Are these the registered texts?").getByText("agrees.").count()).to.equal(3);
    await expectFitsPhone(page);
  });

  it("says which texts have bytes that are no text, and that nothing can be computed from them", async () => {
    const { rig } = console.service;
    const call = creationOfBytes(toHex(7, { size: 32 }), { name: toHex("Odd"), data: "0x41ff42" });
    await rig.send((await rig.sign(call)).raw);
    await rig.mine();
    await rig.caughtUp();
    const { value } = await console.service.get("/public/assets/?name=odd&size=1", { key: null });
    const { page } = await visit(value[0].id);
    await page.getByText("Not every byte can be shown: Data").waitFor();
    await page.getByText("That is no sign of a change.").waitFor();
    await page
      .getByText("No proof can be made: the asset has bytes that are no text.")
      .or(page.getByText("as soon as the asset is final"))
      .first()
      .waitFor();
  });

  it("says that an id is malformed, or unknown, and how far it is to whoever asked for it", async () => {
    const { page, seen } = await visit("0x1234");
    await page.getByText("has 4 digits").waitFor();
    await expectAccessible(page);
    seen.tolerate(/status of 404/);
    const { value } = await console.service.post("/assets/", { name: "Pending", author: other.address });
    await page.goto(`${console.service.url}/console/assets/${value.id}`);
    await page.getByRole("heading", { name: "No asset with this id is on the chain" }).waitFor();
    await page.getByText("Its author has not signed yet.").waitFor();
    await giveKey(page);
    await page.getByRole("link", { name: "Open the page where its author signs" }).waitFor();
    await expectAccessible(page);
    await console.service.carryOut(value.transactionId, other);
    await page.getByRole("heading", { level: 1, name: "Pending" }).waitFor();
  });

  it("keeps what it shows while the service is away, and says so", async () => {
    const [fresh] = await registerAll(console.service.rig, [{ name: "Fresh" }]);
    await console.service.rig.caughtUp();
    const { page, seen, context } = await visit(fresh);
    await page.getByText("1 of 5 confirmations").waitFor();
    seen.tolerate(/ERR_FAILED|Failed to load resource/);
    await context.route("**/public/assets/**", (route) => route.abort());
    await page.getByText("What you see may be out of date").waitFor();
    await page.getByRole("heading", { level: 1, name: "Fresh" }).waitFor();
    await context.unroute("**/public/assets/**");
    await page.getByText("What you see may be out of date").waitFor({ state: "detached" });
  });

  it("says that a reorg has removed it, and shows it again when it is back", async () => {
    const { rig } = console.service;
    const { raw } = await rig.sign(creationOfBytes(toHex(8, { size: 32 }), { name: toHex("Fleeting") }));
    await rig.send(raw);
    await rig.mine();
    await rig.caughtUp();
    const { value } = await console.service.get("/public/assets/?name=fleeting", { key: null });
    const { page, seen } = await visit(value[0].id);
    seen.tolerate(/status of 404/);
    await page.getByText("1 of 5 confirmations").waitFor();
    await rig.anvil.rpc("anvil_reorg", [1, []]);
    await rig.mine();
    await page.getByText("This asset is no longer on the chain").waitFor();
    await expectAccessible(page);
    await rig.send(raw);
    await rig.mine();
    await page.getByText("This asset is no longer on the chain").waitFor({ state: "detached" });
    await eventually(
      "final",
      () => page.getByText("confirmations. Until then").count(),
      (count) => count === 1,
      10,
    );
  });
});

/** Direction in which a text of the page runs. */
const directionOf = (page: Page, text: string): Promise<string> =>
  page.getByText(text).evaluate((element) => {
    const view = globalThis as unknown as { getComputedStyle(element: unknown): { direction: string } };
    return view.getComputedStyle(element).direction;
  });
