import type { Locator, Page } from "playwright-core";
import { keys } from "../api.ts";

/** An asset with every text. */
export const lease = {
  ...{
    name: "Lease agreement, flat 3",
    data: "Flat 3\nground floor",
    fileName: "lease.pdf",
    fileType: "pdf",
  },
  ...{ fileSize: "123456", method: "SHA2-256", uri: "https://example.org/lease.pdf" },
  hash: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
};

/** A part of a page by its heading. */
export const panel = (page: Page, name: string): Locator => page.getByRole("region", { name, exact: true });

/** Gives a page the API key of a tenant, where it asks for one. */
export async function giveKey(page: Page): Promise<void> {
  await page.getByLabel("API key", { exact: true }).fill(keys["tenant-a"]);
  await page.getByRole("button", { name: "Use this key" }).click();
  await page.getByText("This tab holds an API key.").waitFor();
}
