import type { Page } from "playwright-core";
import type { LocalAccount } from "viem";
import { newAuthor } from "./author.ts";
import type { useConsole } from "./console.ts";

/** What tests of the signing page do again and again, with a new author before each test. */
export function useSigningPage(console: ReturnType<typeof useConsole>) {
  let author: LocalAccount;
  beforeEach(async () => {
    author = await newAuthor(console.service.rig);
  });

  async function requestAsset(fields: object = {}): Promise<{ id: string; transactionId: string }> {
    return (
      await console.service.post("/assets/", { author: author.address, name: "Lease agreement", ...fields })
    ).value;
  }

  return {
    get author() {
      return author;
    },
    requestAsset,
    /** Opens the page of a new request, as the author whose browser has one wallet. */
    async open(fields: object = {}) {
      const { transactionId, id } = await requestAsset(fields);
      const fox = console.wallet({ accounts: [author] });
      const visitor = await console.visit(`/sign/${transactionId}`, { wallets: [fox] });
      const { page } = visitor;
      await page.getByRole("button", { name: "Sign with Fox" }).waitFor();
      return { ...visitor, fox, id, transactionId };
    },
    shows: (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor(),
    press: (page: Page, name: string) => page.getByRole("button", { name }).click(),
  };
}
