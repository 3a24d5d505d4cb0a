import { AxeBuilder } from "@axe-core/playwright";
import { expect } from "chai";
import type { Page } from "playwright-core";

/** Width of a small phone in pixels. */
export const PHONE = 390;

/** Expects that axe finds nothing wrong with the page as it is, in its light and its dark colours. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${colorScheme}: ${id}: ${help}\n${html}\n${failureSummary}`),
    );
    expect(found).to.deep.equal([]);
  }
  await page.emulateMedia({ colorScheme: null });
}

/** Expects that the page fits a phone, so that nobody has to scroll sideways. */
export async function expectFitsPhone(page: Page): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: PHONE, height: 844 });
  const widest = await page.evaluate(() => {
    type Element = { tagName: string; className: unknown; getBoundingClientRect(): { right: number } };
    const { document } = globalThis as unknown as {
      document: {
        documentElement: { scrollWidth: number };
        querySelectorAll(all: string): Iterable<Element>;
      };
    };
    const { scrollWidth } = document.documentElement;
    const culprits = [...document.querySelectorAll("main *")]
      .filter((element) => element.getBoundingClientRect().right > 390)
      .map(({ tagName, className }) => `${tagName} ${className}`);
    return scrollWidth > 390 ? { scrollWidth, culprits: culprits.slice(0, 5) } : undefined;
  });
  if (before !== null) await page.setViewportSize(before);
  expect(widest).to.equal(undefined);
}
