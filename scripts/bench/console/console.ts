import { rm } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { createClient } from "../../../client/src/client.ts";
import { openBrowser } from "../../../test/support/browser.ts";
import { owner } from "../../../test/support/chain/accounts.ts";
import { buildConsole } from "../../console/build-console.ts";
import { benchFolder } from "../folder.ts";
import { machine, median } from "../measure.ts";
import { rewriteSection } from "../performance-doc.ts";
import { registerAssets } from "../verifier/register-assets.ts";
import { type WholeService, withWholeService } from "../whole-service.ts";

const usage = `Usage: npm run bench:console [-- <option>…]

Opens each page of the console in Chromium as somebody who was never there, page after page in turn, and once more with
what the browser has kept: how much is loaded, and after how long the page shows what it is about.

  --rounds 5         of which the median is told
  --write            puts the table into docs/performance.md
`;

const apiKey = "key-for-measuring-the-console-0123";

/** A page, and what it is about: once this is seen, the page is there. */
type Shown = { name: string; path: string; seen: string };
type Visit = { bytes: number; files: number; first: number; again: number };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "5" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(usage);
  const rounds = Number(values.rounds);
  if (!(rounds >= 1)) throw new Error(`--rounds takes a number.\n\n${usage}`);
  await buildConsole();
  const environment = { API_KEYS: `bench:${apiKey}`, RATE_LIMIT_ADDRESS: "0", RATE_LIMIT_PUBLIC: "0" };
  const rows = await withWholeService({ name: "console", environment }, (service) =>
    measure(service, rounds),
  );
  const text = [
    `${machine()}. Medians of ${rounds} rounds, over loopback.`,
    "",
    "| Page | Loaded | Files | First visit | Next visit |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
  console.log(`\n${text}`);
  if (values.write) await rewriteSection("console", text);
}

async function measure(service: WholeService, rounds: number): Promise<string[]> {
  const pages = await pagesOf(service);
  const folder = await benchFolder("chromium");
  const browser = await openBrowser(folder);
  try {
    const visits = new Map(pages.map((page): [Shown, Visit[]] => [page, []]));
    // The first round is the browser's and the service's own beginning.
    for (let round = -1; round < rounds; round += 1) {
      for (const [page, seen] of visits) {
        const visit = await visitTwice(browser, `${service.apiUrl}/console${page.path}`, page.seen);
        if (round >= 0) seen.push(visit);
      }
    }
    return [...visits].map(([{ name }, seen]) => rowOf(name, seen));
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function pagesOf(service: WholeService): Promise<Shown[]> {
  const { first } = await registerAssets(service, 200, 50);
  const client = createClient({ url: service.apiUrl, apiKey });
  const { transactionId } = await client.createAsset({ name: "Lease", author: owner.address });
  return [
    { name: "start", path: "/", seen: "ul a[href*='/assets/']" },
    { name: "signing a request", path: `/sign/${transactionId}`, seen: "dl" },
    { name: "an asset with 50 links, and their graph", path: `/assets/${first}`, seen: ".react-flow__node" },
    { name: "verifying", path: "/verify", seen: "input[type=file]" },
    { name: "registering", path: "/register", seen: "form" },
  ];
}

async function visitTwice(browser: Browser, url: string, seen: string): Promise<Visit> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const first = await timeUntil(page, url, seen);
    const loaded = await page.evaluate(() => {
      // The page's own clock, of which Node's types know less.
      const { getEntriesByType } = Object.getPrototypeOf(performance) as {
        getEntriesByType(kind: string): { name: string; encodedBodySize: number }[];
      };
      const files = ["navigation", "resource"].flatMap((kind) => getEntriesByType.call(performance, kind));
      const built = files.filter(({ name }) => name.includes("/console"));
      return {
        files: built.length,
        bytes: built.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
      };
    });
    return { ...loaded, first, again: await timeUntil(page, url, seen) };
  } finally {
    await context.close();
  }
}

async function timeUntil(page: Page, url: string, seen: string): Promise<number> {
  const since = performance.now();
  await page.goto(url);
  await page.locator(seen).first().waitFor({ state: "attached" });
  return performance.now() - since;
}

function rowOf(name: string, visits: readonly Visit[]): string {
  const of = (pick: (visit: Visit) => number) => median(visits.map(pick));
  const cells = [
    `${Math.round(of(({ bytes }) => bytes) / 1000)} kB`,
    String(of(({ files }) => files)),
    `${Math.round(of(({ first }) => first))} ms`,
    `${Math.round(of(({ again }) => again))} ms`,
  ];
  return `| ${name} | ${cells.join(" | ")} |`;
}

await main();
