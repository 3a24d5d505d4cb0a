import { createHash } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { useConsole } from "../../support/console/console.ts";

const digestOf = (method: string, text: string) => createHash(method).update(text).digest("hex");
const named = (name: string, text: string) => ({ name, mimeType: "", buffer: Buffer.from(text) });

const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const abcBySha3 = "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532";
const abcBySha512Of256 = "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23";

const matches = "The file matches, but its registration is not final yet";
const differs = "Not the registered file";
const incomparable = "The file cannot be compared";

describe("a file beside what was registered, in the browser", () => {
  const console = useConsole();

  const register = async (texts: object) => (await console.service.createAsset(texts)).id;
  const dropOn = async (page: Page, id: string, file: ReturnType<typeof named>) => {
    await page.goto(`${console.service.url}/console/verify?asset=${id}`);
    await page.locator("input[type=file]").setInputFiles(file);
  };
  /** The title of the verdict. */
  const verdict = async (page: Page) => {
    const title = page
      .getByRole("region", { name: "Result" })
      .getByText(new RegExp(`^(${[matches, differs, incomparable].join("|")})$`));
    return await title.textContent();
  };

  it("is compared byte by byte: other line ends or a byte order mark make another file", async () => {
    const text = "line one\nline two\n";
    const id = await register({ name: "Lines", method: "SHA2-256", hash: digestOf("sha256", text) });
    const { page } = await console.visit("/");
    for (const [bytes, expected] of [
      [text, matches],
      [text.replaceAll("\n", "\r\n"), differs],
      [`\ufeff${text}`, differs],
    ] as const) {
      await dropOn(page, id, named("lines.txt", bytes));
      expect(await verdict(page), JSON.stringify(bytes)).to.equal(expected);
      const explained = page.getByText("some program changed the bytes of the file");
      if (expected === differs) await explained.waitFor();
      else expect(await explained.count()).to.equal(0);
    }
    await page.goto(`${console.service.url}/console/verify`);
    await page.locator("input[type=file]").setInputFiles(named("lines.txt", text.replaceAll("\n", "\r\n")));
    await page.getByText("Unknown here").waitFor();
    await page.getByText("The same text with LF line ends and no byte order mark is registered").waitFor();
    await page.getByRole("link", { name: id }).waitFor();
  });

  it("is compared with a hash in every usual form, and with no text that is none", async () => {
    const { page } = await console.visit("/");
    for (const [hash, expected] of [
      [abc.toUpperCase(), matches],
      [`0x${abc}`, matches],
      [`0X${abc.toUpperCase()}`, matches],
      [` ${abc} `, matches],
      [`${abc}\r\n`, matches],
      [`sha256:${abc}`, matches],
      [`${abc}  file.pdf`, matches],
      [(abc.match(/../g) ?? []).join(":"), matches],
      [`sha3-256:${abc}`, incomparable],
      [abc.slice(2), incomparable],
      [`${abc}g`, incomparable],
      ["see the file", incomparable],
      ["", incomparable],
    ] as const) {
      const id = await register({ name: "Forms", method: "SHA2-256", hash });
      await dropOn(page, id, named("abc.txt", "abc"));
      expect(await verdict(page), JSON.stringify(hash)).to.equal(expected);
    }
  }).timeout(120_000);

  it("is hashed by the method that the asset names, in any spelling, and by none that it does not name", async () => {
    const { page } = await console.visit("/");
    const spellings = ["SHA2-256", "SHA-256", "sha256", "Sha 256", "sha2-256", "SHA_256", "SHA-2-256"];
    for (const [method, hash, expected] of [
      ...spellings.map((method) => [method, abc, matches] as const),
      ["SHA3-256", abcBySha3, matches],
      ["SHA-512/256", abcBySha512Of256, matches],
      ["SHA512-256", abcBySha512Of256, matches],
      ["SHA256", abcBySha3, differs],
      ["BLAKE9", abc, incomparable],
      ["", abc, incomparable],
    ] as const) {
      const id = await register({ name: "Methods", method, hash });
      await dropOn(page, id, named("abc.txt", "abc"));
      expect(await verdict(page), method).to.equal(expected);
    }
  }).timeout(120_000);

  it("is bad news only where it differs: five other reasons have words of their own", async () => {
    const { service } = console;
    const hash = digestOf("sha256", "reasons");
    const asset = await service.createAsset({ name: "Reasons", method: "SHA2-256", hash });
    const target = await register({ name: "Target" });
    const change = async (send: typeof service.post) => {
      const { value } = await send(`/assets/${asset.id}/links`, { targetAssetIds: [target] });
      await service.carryOut(value.transactionId);
      await service.rig.mine(8);
      await service.rig.reach(value.transactionId, "Confirmed");
    };
    await change(service.post);
    await change(service.patch);
    const { page, seen } = await console.visit("/");
    seen.tolerate(/status of (?:404|503)/);
    const file = named("reasons.txt", "reasons");
    const result = page.getByRole("region", { name: "Result" });
    const isBad = async () => (await result.locator('[class*="_bad_"]').count()) > 0;

    await dropOn(page, asset.id, file);
    await result.getByText("The file matches, and the block is not checked").waitFor();
    await result
      .getByText("was revoked")
      .or(result.getByText(/ revoked$/))
      .first()
      .waitFor();
    // The chain, the contract, the block and the transaction are named.
    const shown = (await result.textContent()) ?? "";
    const { value } = await service.get(`/public/assets/${asset.id}`);
    for (const fact of [
      "Test chain (31337)",
      value.registry,
      String(value.blockNumber),
      value.transactionHash,
    ])
      expect(shown).to.contain(fact);
    expect(await isBad()).to.equal(false);

    await dropOn(page, `0x${"9".repeat(64)}`, file);
    await result.getByText("This registry has no asset with this id.").waitFor();
    expect(await isBad()).to.equal(false);

    await page.route("**/proof*", (route) =>
      route.fulfill({
        status: 503,
        json: { value: null, error: { code: "INTERNAL_ERROR", message: "Come back later." } },
      }),
    );
    await dropOn(page, asset.id, file);
    await result.getByText("The file matches, but there is no proof").waitFor();
    await result.getByText("Come back later.").waitFor();
    expect(await isBad()).to.equal(false);
    await page.unroute("**/proof*");

    await dropOn(page, asset.id, named("reasons.txt", "others"));
    await result.getByText(differs).waitFor();
    expect(await isBad()).to.equal(true);
  }).timeout(120_000);

  it("keeps its name in exactly its own characters when it is registered", async () => {
    const { page } = await console.visit("/register");
    for (const name of ["Vertrag-M\u00fcller.pdf", "Vertrag-Mu\u0308ller.pdf", "Vertrag-MÃ¼ller.pdf"]) {
      await page.locator("input[type=file]").setInputFiles(named(name, name));
      await page.getByText("the fields below are filled in").waitFor();
      await page.waitForFunction(
        (hash) => {
          type Field = { value: string };
          const { document } = globalThis as unknown as { document: { querySelector(name: string): Field } };
          return document.querySelector("[name=hash]").value === hash;
        },
        digestOf("sha256", name),
      );
      expect(await page.getByLabel("File name").inputValue()).to.equal(name);
    }
  });
});
