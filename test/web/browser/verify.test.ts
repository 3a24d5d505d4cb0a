import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { owner } from "../../support/chain/accounts.ts";
import { expectAccessible, expectFitsPhone } from "../../support/console/accessibility.ts";
import { useConsole, type Visitor } from "../../support/console/console.ts";
import { useNodes } from "../../support/console/nodes.ts";

type Upload = { name: string; mimeType: string; buffer: Buffer };

const hashOf = (algorithm: string, text: string) => createHash(algorithm).update(text).digest("hex");
const file = (name: string, text: string): Upload => ({ name, mimeType: "", buffer: Buffer.from(text) });

const text = "Lease of flat 3\n";
const lease = file("lease.txt", text);

describe("the page that verifies, in a browser", () => {
  const console = useConsole();
  const nodes = useNodes();
  let id: string;
  let proof: Upload;

  before(async () => {
    const { service } = console;
    const texts = { name: "Lease \u202eagreement", method: "SHA2-256", hash: hashOf("sha256", text) };
    const asset = await service.createAsset(texts);
    id = asset.id;
    await service.rig.mine(8);
    await service.rig.reach(asset.transactionId, "Confirmed");
    const { value } = await service.get(`/public/assets/${id}/proof`);
    proof = file("proof.json", JSON.stringify({ value }));
  });

  const drop = (page: Page, ...files: Upload[]) => page.locator("input[type=file]").setInputFiles(files);
  const outcomes = async (page: Page) =>
    Object.fromEntries(
      await page.locator("[data-outcome]").evaluateAll((items) =>
        (
          items as unknown as {
            dataset: { outcome: string };
            querySelector(name: string): { textContent: string };
          }[]
        ).map((item) => [item.querySelector("code").textContent, item.dataset.outcome] as const),
      ),
    );
  const shown = async (page: Page) => (await page.getByRole("main").textContent()) ?? "";
  const verdict = (page: Page, title: string) => page.getByText(title, { exact: true }).waitFor();
  /** Drags a file or a folder of the disk, as a person would. */
  const dragOnto = async (page: Page, target: Locator, path: string) => {
    const { x = 0, y = 0, width = 0, height = 0 } = (await target.boundingBox()) ?? {};
    const session = await page.context().newCDPSession(page);
    for (const type of ["dragEnter", "dragOver", "drop"] as const) {
      await session.send("Input.dispatchDragEvent", {
        ...{ type, x: x + width / 2, y: y + height / 2 },
        data: { items: [], files: [path], dragOperationsMask: 1 },
      });
    }
    await session.detach();
  };
  const askNodes = async (page: Page, ...urls: string[]) => {
    await page.getByText("Ask nodes of my choice").click();
    await page.getByLabel("URLs of nodes").fill(urls.join("\n"));
    await page.getByRole("button", { name: "Check with this" }).click();
  };
  const chainUrl = () => console.service.rig.anvil.url;
  /** Starts a node that the visitor's page may ask. */
  const startNode = async (
    { seen }: Visitor,
    ...changes: Parameters<typeof nodes.start> extends [string, ...infer Rest] ? Rest : never
  ) => {
    const url = await nodes.start(chainUrl(), ...changes);
    seen.allow(url);
    return url;
  };

  it("finds a registered file, says by whom and when, and checks the proof against nodes", async () => {
    const visitor = await console.visit("/verify");
    const { page } = visitor;
    await page.getByRole("heading", { name: "Verify" }).waitFor();
    await expectAccessible(page);
    await drop(page, lease);
    await verdict(page, "The file matches, and the block is not checked");
    expect(await shown(page))
      .to.contain(owner.address)
      .and.to.contain("One asset bears this hash.")
      .and.to.contain("U+202E")
      .and.to.contain("Test chain (31337)");
    expect(await outcomes(page)).to.deep.equal({
      ...{ content: "valid", id: "valid", author: "valid", time: "valid", inclusion: "valid" },
      ...{ links: "not asked", block: "cannot check" },
    });
    expect(await page.getByRole("link", { name: id }).getAttribute("href")).to.equal(`/console/assets/${id}`);
    await askNodes(page, await startNode(visitor), await startNode(visitor));
    await verdict(page, "Registered");
    expect(await outcomes(page)).to.include({ block: "valid" });
    expect(await shown(page)).to.match(/from 2 nodes that agree: 127\.0\.0\.1:\d+, 127\.0\.0\.1:\d+/);
    expect(page.url()).to.match(/\/console\/verify$/);
    await expectAccessible(page);
    await expectFitsPhone(page);
  });

  it("never calls a file that it does not know forged", async () => {
    const { page } = await console.visit("/verify");
    await drop(page, file("other.txt", "something else"));
    await verdict(page, "Unknown here");
    expect(await shown(page)).to.contain("says nothing against the file");
    await page.getByRole("button", { name: "Try every other method" }).click();
    await page.getByText(/No asset of this registry .*RIPEMD-160.*BLAKE3/).waitFor();
  });

  it("tells a changed file from a forged proof and from the proof of something else, whichever is dropped first", async () => {
    const { page } = await console.visit("/verify");
    await drop(page, file("lease.txt", `${text} `));
    await verdict(page, "Unknown here");
    await drop(page, proof);
    await verdict(page, "Not the registered file");
    expect(await outcomes(page)).to.include({ content: "invalid", inclusion: "valid" });
    await drop(page, lease);
    await verdict(page, "The file matches, and the block is not checked");
    const forged = Buffer.from(proof.buffer);
    const at = forged.indexOf('"header":"0x') + 100;
    forged[at] = (forged[at] ?? 0) ^ 1;
    await drop(page, { ...proof, buffer: forged });
    await verdict(page, "The proof is not valid");
    expect(await outcomes(page)).to.include({ content: "valid", block: "invalid" });
    await drop(page, { ...proof, buffer: proof.buffer.subarray(0, 1_000) });
    await verdict(page, "The proof cannot be read");
    await page.getByRole("button", { name: "Start anew" }).click();
    await drop(page, proof, lease);
    await verdict(page, "The file matches, and the block is not checked");
    await expectAccessible(page);
  });

  it("says of nodes that lie, are away, disagree or are of another chain what that means", async () => {
    const visitor = await console.visit("/verify");
    const { page, seen } = visitor;
    seen.tolerate(/net::ERR_/);
    seen.allow("http://127.0.0.1:1");
    await drop(page, lease, proof);
    const honest = await startNode(visitor);
    const liar = await startNode(visitor, { block: (block) => ({ ...block, hash: `0x${"ab".repeat(32)}` }) });
    const other = await startNode(visitor, { chainId: "0x1" });
    const slow = await startNode(visitor, { finalized: { number: "0x1" } });
    for (const [urls, title, words, block] of [
      [[liar], "The proof is not valid", `the hash that you trust (from the node 127.0.0.1`, "invalid"],
      [
        ["http://127.0.0.1:1"],
        "The file matches, and the block is not checked",
        "does not answer",
        "cannot check",
      ],
      [[honest, liar], "The file matches, and the block is not checked", "do not agree", "cannot check"],
      [
        [honest, other],
        "The file matches, and the block is not checked",
        "a node of chain 1,",
        "cannot check",
      ],
      [[slow], "The file matches, and the block is not checked", "is not final yet", "cannot check"],
      [[honest], "Registered", "from the node 127.0.0.1", "valid"],
    ] as const) {
      await askNodes(page, ...urls);
      await page.getByText(words).first().waitFor();
      await verdict(page, title);
      expect(await outcomes(page), words).to.include({ block });
    }
    expect(await page.getByRole("region", { name: "Result" }).textContent()).to.not.contain("/key");
  });

  it("compares with a block hash that was pasted", async () => {
    const { page } = await console.visit("/verify");
    await drop(page, lease, proof);
    const { value } = JSON.parse(proof.buffer.toString());
    await page.getByText("Compare it with a hash that I have").click();
    await page.getByLabel("Block hash").fill("0x12");
    await page.getByRole("button", { name: "Check with this" }).click();
    await page.getByText("A block hash has 64 hex digits").waitFor();
    await page.getByLabel("Block hash").fill(value.block.hash);
    await page.getByRole("button", { name: "Check with this" }).click();
    await verdict(page, "Registered");
    await page.getByText("(pasted by you)").waitFor();
  });

  it("checks a file with its proof while the service is away, and says that it cannot look up another", async () => {
    const { page, context, seen } = await console.visit("/verify");
    seen.tolerate(/ERR_FAILED|Failed to load resource|ERR_INTERNET/);
    await page.getByText("Drop a file").waitFor();
    await page.waitForLoadState("networkidle");
    await context.route(`${console.service.url}/**`, (route) => route.abort());
    await drop(page, lease, proof);
    await verdict(page, "The file matches, and the block is not checked");
    await page.getByRole("button", { name: "Start anew" }).click();
    await drop(page, lease);
    await verdict(page, "Cannot be checked");
    expect(await shown(page)).to.contain("Nothing is said about the file.");
  });

  it("compares a file with the asset of a link, and looks up pasted ids and hashes", async () => {
    const { page, seen } = await console.visit(`/verify?asset=${id}`);
    // Of a hash that may as well be an id.
    seen.tolerate(/status of 404/);
    await verdict(page, "The proof fits together, and the block is not checked");
    await drop(page, file("other.txt", "another"));
    await verdict(page, "Not the registered file");
    await drop(page, lease);
    await verdict(page, "The file matches, and the block is not checked");
    const paste = async (written: string, title: string) => {
      await page.getByLabel("Or paste").fill(written);
      await page.getByRole("button", { name: "Look it up" }).click();
      await verdict(page, title);
    };
    const digest = Buffer.from(hashOf("sha256", text), "hex");
    await paste(`sha256-${digest.toString("base64")}`, "The hash matches, and the block is not checked");
    await paste(
      id.toUpperCase().replace("0X", "0x"),
      "The proof fits together, and the block is not checked",
    );
    await paste(
      `0X${digest.toString("hex").toUpperCase()}`,
      "The hash matches, and the block is not checked",
    );
    await paste("ab".repeat(32), "Unknown here");
    await page.getByLabel("Or paste").fill("no hash");
    await page.getByRole("button", { name: "Look it up" }).click();
    await page.getByText("This is neither an asset id nor a hash").waitFor();
  });

  it("shows every asset that bears the hash, the oldest first, and one that is not final as such", async () => {
    const { service } = console;
    const hash = hashOf("sha512", "twice");
    for (const name of ["First", "Second"]) await service.createAsset({ name, method: "SHA512", hash });
    const { page } = await console.visit("/verify");
    await drop(page, file("twice.txt", "twice"));
    await page.getByText("2 assets bear this hash").waitFor();
    await page.getByText("The file matches, but its registration is not final yet").first().waitFor();
    const words = await shown(page);
    expect(words.indexOf("First")).to.be.below(words.indexOf("Second"));
    await service.rig.mine(8);
    await page.getByText("The file matches, and the block is not checked").nth(1).waitFor();
  });

  it("takes what is dragged onto it, but no folder, and stays where something is dropped beside it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "asset-registry-drop-"));
    try {
      const path = join(folder, "lease.txt");
      await writeFile(path, text);
      const { page } = await console.visit("/verify");
      const zone = page.getByText("Drop a file, its proof, or both");
      await dragOnto(page, zone, folder);
      await page.getByText("That is a folder").waitFor();
      await dragOnto(page, page.getByRole("heading", { name: "Verify" }), path);
      expect(page.url()).to.match(/\/console\/verify$/);
      await dragOnto(page, zone, path);
      await verdict(page, "The file matches, and the block is not checked");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("is used by the keyboard alone", async () => {
    const { page } = await console.visit("/verify");
    await page.getByLabel("Or paste").focus();
    await page.keyboard.type(id);
    await page.keyboard.press("Enter");
    await verdict(page, "The proof fits together, and the block is not checked");
    await page.getByRole("radio", { name: "Do not check it" }).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    await page.keyboard.type(JSON.parse(proof.buffer.toString()).value.block.hash.replace(/.$/, "x"));
    await page.keyboard.press("Enter");
    await page.getByText("A block hash has 64 hex digits").waitFor();
    await page.getByRole("button", { name: "Start anew" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Drop a file, its proof, or both").waitFor();
    const choose = page.getByRole("button", { name: "Choose files" });
    // The button that had the focus is gone: the next one is pressed once it has the focus.
    await choose.focus();
    await choose.and(page.locator("[data-focused]")).waitFor();
    const chooser = page.waitForEvent("filechooser");
    await choose.press("Enter");
    await (await chooser).setFiles(lease);
    await verdict(page, "The file matches, and the block is not checked");
  });

  it("takes an empty file, and not a third file", async () => {
    const { page } = await console.visit("/verify");
    await drop(page, file("empty", ""));
    await page.getByText("This file is empty").waitFor();
    await verdict(page, "Unknown here");
    await drop(page, file("1", "1"), file("2", "2"), file("3", "3"));
    await page.getByText("Drop at most 2 files at a time.").waitFor();
  });
});
