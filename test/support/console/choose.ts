import type { Page } from "playwright-core";
import { eventually } from "../eventually.ts";

/**
 * Clicks a radio button or a checkbox where people do, on its label: the control itself is hidden below it. Playwright
 * then waits until the label stands still, which it does not for a hidden control.
 */
export async function choose(page: Page, role: "radio" | "checkbox", name: string | RegExp): Promise<void> {
  const control = page.getByRole(role, { name });
  await page.locator("label", { has: control }).click();
  await eventually("the choice", () => control.isChecked(), Boolean);
}
