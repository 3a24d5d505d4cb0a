import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { createApp } from "../../../../api/app.ts";
import { allRoutes } from "../../../../api/routes.ts";
import { keys, startApi, type TestApi } from "../../../support/api.ts";
import { openBrowser } from "../../../support/browser.ts";
import { document } from "../../../support/contract.ts";

const prefix = "/registry";

describe("the page of the document in a browser, behind a path prefix", () => {
  let api: TestApi;
  let server: Server;
  let origin: string;
  let folder: string;
  let browser: Browser;
  before(async () => {
    api = await startApi();
    const app = createApp(api.services);
    server = createServer((request, response) => {
      request.url = request.url?.startsWith(prefix) ? request.url.slice(prefix.length) : "/outside";
      app(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    folder = await mkdtemp(join(tmpdir(), "asset-registry-browser-"));
    browser = await openBrowser(folder);
  });
  after(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
    await api?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  /** Opens the page, and notes what it asks for and whatever the browser objects to. */
  async function open(path: string) {
    const page = await browser.newPage();
    const asked: string[] = [];
    const objections: string[] = [];
    page.on("request", (request) => void asked.push(request.url()));
    page.on("response", (response) => {
      if (response.status() >= 400) objections.push(`${response.status()} ${response.url()}`);
    });
    page.on("pageerror", (error) => void objections.push(error.message));
    page.on("console", (message) => void objections.push(message.text()));
    await page.goto(origin + prefix + path);
    await page.locator(".opblock").first().waitFor();
    return { page, asked, objections };
  }

  /** Expects that nobody but the service was asked, and that the browser refused and missed nothing. */
  function expectPeace({
    asked,
    objections,
  }: Pick<Awaited<ReturnType<typeof open>>, "asked" | "objections">) {
    for (const url of asked) expect(url).to.match(new RegExp(`^(data:|${origin}${prefix}/)`));
    expect(objections).to.deep.equal([]);
  }

  it("shows every operation and every schema", async () => {
    const { page, ...seen } = await open("/docs");
    const shown = await page.locator(".opblock-summary-path").allTextContents();
    expect(shown.map((text) => text.replaceAll("\u200b", ""))).to.have.members([
      ...allRoutes.map(({ path }) => path),
      ...Object.keys(document.webhooks),
    ]);
    const models = page.locator("section.models");
    await models.waitFor();
    const text = await models.textContent();
    for (const name of Object.keys(document.components.schemas)) expect(text).to.include(name);
    expectPeace(seen);
    await page.close();
  });

  it("tries a call with a key at the operation that a deep link names", async () => {
    const { page, ...seen } = await open("/docs/#/transactions/getTransactions");
    await page.locator(".authorize").first().click();
    await page.locator(".auth-container input").first().fill(keys["tenant-a"]);
    await page.locator(".auth-container .authorize").first().click();
    await page.locator(".btn-done").first().click();
    const operation = page.locator("#operations-transactions-getTransactions");
    await operation.locator(".try-out__btn").click();
    const answered = page.waitForResponse((response) => response.url().includes("/transactions/"));
    await operation.locator(".execute").click();
    const answer = await answered;
    expect(answer.url()).to.equal(`${origin}${prefix}/transactions/`);
    expect(answer.status()).to.equal(200);
    expect(answer.request().headers()["x-api-key"]).to.equal(keys["tenant-a"]);
    await operation.locator(".live-responses-table").waitFor();
    expectPeace(seen);
    await page.close();
  });
});
