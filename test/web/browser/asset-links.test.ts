import { readFile } from "node:fs/promises";
import { verifyDocument } from "asset-registry-proof";
import { expect } from "chai";
import type { Page } from "playwright-core";
import type { AssetId } from "../../../domain/asset/asset.ts";
import { owner } from "../../support/chain/accounts.ts";
import { expectAccessible, expectFitsPhone } from "../../support/console/accessibility.ts";
import { giveKey, lease, panel } from "../../support/console/asset-page.ts";
import { changeLinks, registerAll } from "../../support/console/chain-writes.ts";
import { choose } from "../../support/console/choose.ts";
import { useConsole } from "../../support/console/console.ts";
import { eventually } from "../../support/eventually.ts";

describe("the links of an asset's page in a browser", () => {
  const console = useConsole();
  /** The lease points to annex and protocol, and did to the letter; the rules point to it. */
  let [id, annex, letter, protocol, rules]: AssetId[] = [];

  before(async () => {
    const { rig } = console.service;
    const names = ["Annex", "Letter", "Protocol", "House rules"];
    const made = await registerAll(rig, [lease, ...names.map((name) => ({ name }))]);
    [id, annex, letter, protocol, rules] = made;
    const [parent, ...children] = made.slice(0, 4) as [AssetId, ...AssetId[]];
    await changeLinks(rig, "link", parent, children);
    await changeLinks(rig, "link", made[4] as AssetId, [parent]);
    await changeLinks(rig, "revokeLinks", parent, [made[2] as AssetId]);
    await rig.mine(4);
    await rig.caughtUp();
  });

  const visit = (asset: string | undefined) => console.visit(`/assets/${asset}`);
  const node = (page: Page, asset: string | undefined) => page.locator(`[data-asset="${asset}"]`);

  it("shows links as a graph that is walked by keyboard, and as lists, the revoked ones with both times", async () => {
    const { page } = await visit(id);
    const links = panel(page, "Links");
    await links
      .getByRole("region", { name: "This asset points to" })
      .getByRole("link", { name: "Protocol" })
      .waitFor();
    await links
      .getByRole("region", { name: "Points to this asset" })
      .getByRole("link", { name: "House rules" })
      .waitFor();
    const history = links.getByRole("region", { name: "Revoked links" });
    await history.getByRole("link", { name: "Letter" }).waitFor();
    expect(await history.locator("time").count()).to.equal(2);
    expect(await node(page, letter).count()).to.equal(0);

    await node(page, id).focus();
    await page.keyboard.press("ArrowLeft");
    await links.getByRole("link", { name: "Open its page" }).waitFor();
    expect(await node(page, rules).evaluate((element) => element.matches(":focus"))).to.equal(true);
    await page.keyboard.press("Enter");
    await links.getByText("All of its links are shown.").waitFor();
    await links.locator("dd").getByRole("button", { name: lease.name, exact: true }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    expect(
      await node(page, annex).or(node(page, protocol)).and(page.locator("[aria-current]")).count(),
    ).to.equal(1);
    await page.keyboard.press("-");
    await links.getByRole("link", { name: "Open its page" }).click();
    await page.waitForURL((url) => [annex, protocol].some((child) => url.pathname.endsWith(child ?? "-")));
  });

  it("lets a pointer walk the graph, drag it and change its scale", async () => {
    const { page } = await visit(id);
    const links = panel(page, "Links");
    await node(page, rules).click();
    await links
      .getByText("Pointed to by")
      .or(links.getByText("Points to", { exact: true }))
      .first()
      .waitFor();
    expect(await node(page, rules).getAttribute("aria-current")).to.equal("true");
    const viewport = page.locator(".react-flow__viewport");
    const transform = () => viewport.evaluate((element) => String(element.getAttribute("style")));
    const before = await transform();
    await page.getByRole("button", { name: "Zoom In" }).click();
    await eventually("another scale", transform, (now) => now !== before, 10);
    const canvas = await page.locator(".react-flow__pane").boundingBox();
    const [x, y] = [(canvas?.x ?? 0) + 20, (canvas?.y ?? 0) + 20];
    const scaled = await transform();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 80, y + 40, { steps: 4 });
    await page.mouse.up();
    await eventually("another place", transform, (now) => now !== scaled, 10);
  });

  it("draws a hub of 300 links by hundreds, more on demand, and lists them", async () => {
    const { rig } = console.service;
    const signatures = Array.from({ length: 300 }, (_, at) => ({ name: `Signature ${at + 1}` }));
    const [hub] = (await registerAll(rig, [{ name: "Petition" }])) as [AssetId];
    await changeLinks(rig, "link", hub, await registerAll(rig, signatures));
    await rig.caughtUp();
    const { page } = await visit(hub);
    const links = panel(page, "Links");
    await links.getByText("101 assets drawn.").waitFor();
    await links.getByText("(100 or more)").waitFor();
    await links.getByRole("link", { name: "Signature 1", exact: true }).waitFor();
    await expectAccessible(page);
    await links.getByRole("button", { name: "Read more of its links" }).click();
    await links.getByText("201 assets drawn.").waitFor();
    await links.getByRole("button", { name: "Read more of its links" }).click();
    await links.getByText("301 assets drawn.").waitFor();
    await page.getByText("Signature 300").first().waitFor({ state: "attached" });
    await links.getByRole("button", { name: "Read more links" }).click();
    await links.getByText("(200 or more)").waitFor();
    await expectFitsPhone(page);
  });

  it("gives the proof as a file that is verified without the service, with the links that were chosen", async () => {
    const { page } = await visit(id);
    await page.getByText("Add links to the proof").click();
    await choose(page, "checkbox", /Annex/);
    await choose(page, "checkbox", /Letter.*revoked/);
    await expectAccessible(page);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download the proof" }).click(),
    ]);
    expect(download.suggestedFilename()).to.match(/^asset-[0-9a-f]{12}-block-\d+\.proof\.json$/);
    const document = await readFile(await download.path());
    const number = Number(/block-(\d+)/.exec(download.suggestedFilename())?.[1]);
    const block = await console.service.rig.chain.getBlock({ blockNumber: BigInt(number) });
    const result = verifyDocument(document, {
      block: { hash: block.hash, source: "the test" },
      children: [annex ?? "", letter ?? ""],
    });
    expect(result.verdict, result.words).to.equal("valid");
    expect(result.links?.map(({ state }) => state)).to.deep.equal(["standing", "revoked"]);
    await page.getByText("Saved as asset-").waitFor();
  });

  it("asks the author to link to an asset that was searched for, and to revoke a link", async () => {
    const { page } = await visit(annex);
    await page.getByText("I have an API key").click();
    await giveKey(page);
    const change = panel(page, "Change the links");
    await change.getByRole("searchbox", { name: "Asset to link to" }).fill("protocol");
    await page.keyboard.press("Enter");
    await change.getByRole("button", { name: "Choose Protocol" }).click();
    await expectAccessible(page);
    await change.getByRole("button", { name: "Ask for this link" }).click();
    await page.waitForURL("**/console/sign/*");
    const transaction = async () =>
      (await console.service.get(`/transactions/${page.url().split("/").at(-1)}`)).value;
    expect(await transaction()).to.include({ kind: "link", assetId: annex, signer: owner.address });
    expect((await transaction()).call.arguments.children).to.deep.equal([protocol]);

    await page.getByRole("link", { name: "Asset Registry" }).click();
    await page.getByRole("searchbox").fill("lease agreement");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: lease.name }).first().click();
    const row = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: "Protocol" }) });
    await row.getByRole("button", { name: "Revoke the link to Protocol" }).click();
    await page.waitForURL("**/console/sign/*");
    expect(await transaction()).to.include({ kind: "revoke", assetId: id });
    await page.reload();
    await page.goto(`${console.service.url}/console/assets/${id}`);
    await page.getByText("I have an API key").waitFor();
  });

  it("finds the other asset by its file, and says why one cannot be chosen", async () => {
    const { page } = await visit(id);
    await page.getByText("I have an API key").click();
    await giveKey(page);
    const file = { name: "a.pdf", mimeType: "", buffer: Buffer.from("abc") };
    await page.locator("input[type=file]").setInputFiles(file);
    await panel(page, "Change the links").getByText("this asset itself").waitFor();
  });
});
