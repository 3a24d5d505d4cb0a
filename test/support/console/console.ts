import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { takeLease } from "../../../db/service/lease.ts";
import { openBrowser } from "../browser.ts";
import type { Rig } from "../rigs/rig.ts";
import { type Service, startService } from "../service.ts";
import { watchObjections } from "./objections.ts";
import { createWallet, installWallets, type Wallet, type WalletOptions } from "./wallet.ts";

type ConsoleOptions = Parameters<typeof startService>[0];
type VisitOptions = BrowserContextOptions & { wallets?: readonly Wallet[] };

/** Somebody with a browser of their own: nothing in it is shared with another's. */
export type Visitor = {
  context: BrowserContext;
  page: Page;
  seen: Awaited<ReturnType<typeof watchObjections>>;
};

const chainSettings = ({ anvil }: Rig) => ({ CHAIN_NAME: "Test chain", CHAIN_RPC_URL: anvil.url });

/**
 * Declares the hooks that give the suite the whole service with its console, and a browser. The chain mines only when
 * told. After each test its visitors leave, and nothing may have been objected to in their pages.
 */
export function useConsole(options: ConsoleOptions = {}) {
  let service: Service;
  let browser: Browser;
  let folder: string;
  let visitors: Visitor[] = [];

  before(async () => {
    const { environment: given = {} } = options;
    const environment = (rig: Rig) => ({
      ...chainSettings(rig),
      ...(typeof given === "function" ? given(rig) : given),
    });
    service = await startService({ atOwnUrl: true, ...options, environment });
    // The indexer of the rig has no rival; without a lease the API would say that none is running.
    await takeLease(service.rig.pool, randomUUID(), 3_600);
    folder = await mkdtemp(join(tmpdir(), "asset-registry-browser-"));
    browser = await openBrowser(folder);
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    const left = visitors;
    visitors = [];
    await Promise.all(left.map(({ context }) => context.close()));
    for (const { seen } of left) seen.expectNone();
  });

  return {
    get service() {
      return service;
    },
    get browser() {
      return browser;
    },
    /** A wallet that is in no browser yet. */
    wallet: (of: WalletOptions = {}): Wallet =>
      createWallet(service.rig.anvil, service.rig.registry.chainId, of),
    /** Opens a page of the console, such as `/verify`, as somebody whose browser has these wallets. */
    async visit(path: string, { wallets = [], ...context }: VisitOptions = {}): Promise<Visitor> {
      const own = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...context });
      // A step that does not come about is named by the test that waits for it, before the test's own time is over.
      own.setDefaultTimeout(15_000);
      const seen = await watchObjections(own, service.url);
      await installWallets(own, wallets);
      const page = await own.newPage();
      const visitor = { context: own, page, seen };
      visitors.push(visitor);
      await page.goto(`${service.url}/console${path}`);
      return visitor;
    },
    /** Opens another tab of a visitor. */
    async tab({ context }: Visitor, path: string): Promise<Page> {
      const page = await context.newPage();
      await page.goto(`${service.url}/console${path}`);
      return page;
    },
  };
}
