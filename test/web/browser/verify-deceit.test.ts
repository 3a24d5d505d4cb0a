import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { other, owner } from "../../support/chain/accounts.ts";
import { choose } from "../../support/console/choose.ts";
import { useConsole } from "../../support/console/console.ts";
import { useNodes } from "../../support/console/nodes.ts";

type Upload = { name: string; mimeType: string; buffer: Buffer };

const file = (name: string, text: string | Buffer): Upload => ({
  name,
  mimeType: "",
  buffer: Buffer.from(text),
});
const text = "Lease of flat 3\n";
const lease = file("lease.txt", text);

describe("the page that verifies and those who would have a visitor believe them, in a browser", () => {
  const console = useConsole();
  const nodes = useNodes();
  const hash = createHash("sha256").update(text).digest("hex");
  /** Of two authors, with one hash. */
  const ids: string[] = [];
  let proof: Upload;

  before(async () => {
    const { service } = console;
    for (const author of [owner, other]) {
      const asset = await service.createAsset({ name: author.address, method: "SHA2-256", hash }, author);
      ids.push(asset.id);
      await service.rig.mine(8);
      await service.rig.reach(asset.transactionId, "Confirmed");
    }
    const { value } = await service.get(`/public/assets/${ids[0]}/proof`);
    proof = file("proof.json", JSON.stringify({ value }));
  });

  const drop = (page: Page, ...files: Upload[]) => page.locator("input[type=file]").setInputFiles(files);
  const says = (page: Page, title: string) => page.getByText(title, { exact: true }).waitFor();
  const result = async (page: Page) =>
    (await page.getByRole("region", { name: "Result" }).textContent()) ?? "";
  const askNode = async (page: Page, url: string) => {
    await choose(page, "radio", "Ask nodes of my choice");
    await page.getByLabel("URLs of nodes").fill(url);
    await page.getByRole("button", { name: "Check with this" }).click();
  };

  it("believes no service that tells another author or time than its proof, or gives another's proof", async () => {
    const { page, context } = await console.visit(`/verify?asset=${ids[0]}`);
    await says(page, "The proof fits together, and the block is not checked");
    const lies: [string, object][] = [
      [`**/public/assets/${ids[0]}`, { author: other.address }],
      [`**/public/assets/${ids[0]}`, { createdOn: "2009-01-03T18:15:05+00:00" }],
      [`**/public/assets/${ids[0]}`, { name: "Deed of the house" }],
    ];
    for (const [url, lie] of lies) {
      await context.route(url, async (route) => {
        const { value } = await (await route.fetch()).json();
        await route.fulfill({ json: { value: { ...value, ...lie } } });
      });
      await page.goto(`${console.service.url}/console/verify?asset=${ids[0]}`);
      await says(page, "The service contradicts its own proof");
      const shown = await result(page);
      for (const told of Object.values(lie)) expect(shown).to.not.contain(told);
      await context.unroute(url);
    }
    await context.route(/\/proof(\?|$)/, async (route) => {
      await route.fulfill({
        json: { value: (await console.service.get(`/public/assets/${ids[1]}/proof`)).value },
      });
    });
    await page.goto(`${console.service.url}/console/verify?asset=${ids[0]}`);
    await says(page, "The service contradicts its own proof");
  });

  it("says of a proof that was dropped whether this service knows its asset", async () => {
    const { page, context, seen } = await console.visit("/verify");
    seen.tolerate(/status of 404/);
    await drop(page, lease, proof);
    await says(page, "This service has the same asset on its chain");
    expect(await result(page)).to.contain("whoever made the proof could have made up all of it");
    const url = `**/public/assets/${ids[0]}`;
    await context.route(url, (route) =>
      route.fulfill({
        status: 404,
        json: { value: null, error: { code: "ASSET_NOT_FOUND", message: "There is none." } },
      }),
    );
    await page.reload();
    await drop(page, lease, proof);
    await says(page, "This service does not know this asset");
  });

  it("says that a proof is of another registry, and never that it is registered here", async () => {
    const visitor = await console.visit("/no-such-page");
    const { page, context } = visitor;
    const registry = `0x${"ab".repeat(20)}`;
    await context.route("**/console/settings.json", async (route) => {
      await route.fulfill({ json: { ...(await (await route.fetch()).json()), registry } });
    });
    await page.goto(`${console.service.url}/console/verify`);
    await drop(page, lease, proof);
    await says(page, "This proof is of another registry than this service's");
    await says(page, "The file matches, and the block is not checked");
    const node = await nodes.start(console.service.rig.anvil.url);
    visitor.seen.allow(node);
    await askNode(page, node);
    await says(page, "Registered, but not here");
    expect(await page.getByText("Registered", { exact: true }).count()).to.equal(0);
  });

  it("does not leave standing what a node confirmed when something else is asked for", async () => {
    const visitor = await console.visit("/verify");
    const { page } = visitor;
    await drop(page, lease, proof);
    const node = await nodes.start(console.service.rig.anvil.url);
    visitor.seen.allow(node);
    for (const change of [
      () => choose(page, "radio", "Compare it with a hash"),
      () => page.getByLabel("URLs of nodes").fill("https://another.example"),
    ]) {
      await askNode(page, node);
      await says(page, "Registered");
      await change();
      await says(page, "The file matches, and the block is not checked");
    }
  });

  it("is confirmed by no node that redirects, answers pages, too much or another's words, and takes no harm", async () => {
    const visitor = await console.visit("/verify");
    const { page, seen } = visitor;
    seen.tolerate(/Failed to load resource|CORS|redirect/i);
    await drop(page, lease, proof);
    const honest = await nodes.start(console.service.rig.anvil.url);
    seen.allow(honest);
    const odd: [string, (response: ServerResponse) => void][] = [
      ["does not answer", (response) => response.writeHead(307, { location: honest }).end()],
      ["refused the question: HTTP 200", (response) => response.end("<html>Sign in</html>")],
      ["its answer is too large", (response) => response.end(" ".repeat(5_000_000))],
      [
        "refused the question: [U+202E]",
        (response) => response.end('{"error":{"message":"[U+202E]\u202e"}}'),
      ],
      ["U+202E", (response) => response.end(JSON.stringify({ error: { message: "\u202e".repeat(9_999) } }))],
      ["does not answer", (response) => response.socket?.destroy()],
    ];
    for (const [words, answer] of odd) {
      const server = createServer((request, response) => {
        response.setHeader("access-control-allow-origin", "*");
        response.setHeader("access-control-allow-headers", "*");
        if (request.method === "OPTIONS") return void response.writeHead(204).end();
        answer(response);
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      seen.allow(url);
      try {
        await askNode(page, `${url.replace("//", "//me:secret@")}/key`);
        await page.getByRole("region", { name: "Result" }).getByText(words).first().waitFor();
        await says(page, "The file matches, and the block is not checked");
        expect(await result(page)).to.not.match(/secret|\/key/);
      } finally {
        server.close().closeAllConnections();
      }
    }
  });

  it("reads no proof that is deep, huge or of other types, and stays alive", async () => {
    const { page } = await console.visit("/verify");
    const named = '{"format":"asset-registry-proof","version":1,';
    for (const odd of [
      `${named}"account":${"[".repeat(500_000)}`,
      `${named}"x":${'{"a":'.repeat(300_000)}1${"}".repeat(300_000)}}`,
      `${named}"explanation":"${"x".repeat(6_000_000)}"}`,
      `${named}"chainId":1e400,"block":null}`,
      `${named}"__proto__":{"chainId":1}}`,
    ]) {
      await drop(page, file("odd.json", odd));
      await says(page, "The proof cannot be read");
      await page.getByRole("button", { name: "Start anew" }).click();
    }
    await drop(page, file("odd.json", `${named}}`), proof);
    await says(page, "The proof fits together, and the block is not checked");
  });
});
