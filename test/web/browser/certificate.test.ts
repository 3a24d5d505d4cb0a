import { expect } from "chai";
import { hashTypedData } from "viem";
import { owner } from "../../support/chain/accounts.ts";
import { expectAccessible, expectFitsPhone } from "../../support/console/accessibility.ts";
import { lease } from "../../support/console/asset-page.ts";
import { registerAll } from "../../support/console/chain-writes.ts";
import { useConsole } from "../../support/console/console.ts";

describe("the certificate of an asset in a browser", () => {
  const console = useConsole();

  it("is one page on paper with all that a check needs, for the longest texts too", async () => {
    const { rig } = console.service;
    const filled = (text: string) => Object.fromEntries(Object.keys(lease).map((name) => [name, text]));
    const long = ["W".repeat(1_000), "m a".repeat(300), "契".repeat(300), "\u202e".repeat(300)].map(filled);
    const made = await registerAll(rig, [
      lease,
      ...long,
      { ...filled(""), name: `e${"\u0301".repeat(300)}` },
    ]);
    await rig.mine(4);
    await rig.caughtUp();
    for (const [at, id] of made.entries()) {
      const { page } = await console.visit(`/assets/${id}/certificate`);
      const sheet = page.getByRole("article", { name: "Certificate of registration" });
      for (const text of [id, owner.address, rig.registry.address]) {
        await sheet.getByText(text, { exact: true }).first().waitFor();
      }
      await sheet.getByRole("img", { name: "Link to the page of this asset" }).waitFor();
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
      expect(pdf.match(/\/Type\s*\/Page\b(?!s)/g), `pages of asset ${at}`).to.have.length(1);
      if (at > 1) continue;
      await expectAccessible(page);
      await expectFitsPhone(page);
    }
  });

  it("says how the asset id is made, so that whoever does it by hand gets this one", async () => {
    const { rig } = console.service;
    const [id] = await registerAll(rig, [{ ...lease, uri: "" }]);
    await rig.caughtUp();
    const { page } = await console.visit(`/assets/${id}/certificate`);
    const sheet = (await page.getByRole("article").textContent()) ?? "";
    const [, members = ""] = /Asset\(([^)]+)\)/.exec(sheet) ?? [];
    const [[, author] = [], [, salt] = []] = [/Author(0x\w{40})/, /Salt(0x\w{64})/].map(
      (row) => row.exec(sheet) ?? [],
    );
    const digest = hashTypedData({
      domain: {
        name: "Asset Registry",
        version: "1",
        chainId: rig.registry.chainId,
        verifyingContract: rig.registry.address,
      },
      types: {
        Asset: members.split(",").map((member) => {
          const [type = "", name = ""] = member.trim().split(" ");
          return { type, name };
        }),
      },
      primaryType: "Asset",
      message: { ...lease, uri: "", author, salt },
    });
    expect(digest).to.equal(id);
    expect(sheet).to.contain("neither that what they say is true");
  });

  it("says that the block is not final yet, on paper too", async () => {
    const { rig } = console.service;
    const [id] = await registerAll(rig, [lease]);
    await rig.caughtUp();
    const { page } = await console.visit(`/assets/${id}/certificate`);
    await page.getByRole("article").getByText("Its block is not final yet").waitFor();
    await page.getByRole("link", { name: "Back to the asset" }).click();
    await page.waitForURL(`**/console/assets/${id}`);
  });
});
