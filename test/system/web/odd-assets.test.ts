import { expect } from "chai";
import { expectFitsPhone } from "../../support/console/accessibility.ts";
import { registerAll } from "../../support/console/chain-writes.ts";
import { useConsole } from "../../support/console/console.ts";

const assets: [string, object][] = [
  ["a name of white space", { name: "\u2003\u3000\n" }],
  ["a name of what nobody sees", { name: "\u200b\u2060\ufeff", fileName: "\u202e" }],
  ["a method that nobody knows", { name: "x", method: "BLAKE9", hash: "ab" }],
  ["a hash without a method", { name: "x", hash: "ba7816bf8f01cfea414140de5dae2223" }],
  ["a host of 240 characters", { name: "x", uri: `https://${"bank.example.".repeat(18)}evil.test/` }],
  ["a uri with a name and password", { name: "x", uri: "https://good.test:443@evil.test/" }],
  ["a uri that is no link", { name: "x", uri: "\u0000javascript:alert(1)//https://" }],
  ["the path of a device", { name: "..\\..\\CON\u202egpj.exe", fileName: "/etc/passwd\u0000.pdf" }],
  ["a size that is none", { name: "x", fileSize: "99999999999999999999" }],
  ["markup", { name: "</title><img src=x onerror=alert(1)>", data: "<!--]]>{{7*7}}\u0000" }],
  ["long words", { name: "W".repeat(250), method: "M".repeat(250), fileType: "\ufdfa".repeat(80) }],
  ["marks in every text", { name: "a\u0301".repeat(80), uri: "\u0301".repeat(900), hash: "\u202e" }],
];

describe("odd assets on every page of the console, in a browser", () => {
  const console = useConsole();
  let ids: string[];

  before(async () => {
    const { rig } = console.service;
    ids = await registerAll(
      rig,
      assets.map(([, texts]) => texts),
    );
    await rig.mine(8);
  });

  for (const [at, [what]] of assets.entries()) {
    it(`are shown without a fault: ${what}`, async () => {
      const id = ids[at] ?? "";
      const { page } = await console.visit(`/assets/${id}`);
      for (const [path, shown] of [
        [`/assets/${id}`, page.getByRole("button", { name: /proof/i })],
        [`/assets/${id}/certificate`, page.getByRole("article")],
        [`/verify?asset=${id}`, page.getByRole("region", { name: "Result" }).getByRole("listitem")],
        [`/?q=${id}`, page.locator(`a[href*="${id}"]`)],
      ] as const) {
        await page.goto(`${console.service.url}/console${path}`);
        await shown.first().waitFor();
        await expectFitsPhone(page);
        expect(await page.locator("img[src=x], a[href^='javascript:']").count()).to.equal(0);
        expect(await page.title(), path).to.match(/^[^\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+$/u);
      }
    });
  }
});
