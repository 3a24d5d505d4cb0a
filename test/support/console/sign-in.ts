import type { Page } from "playwright-core";
import type { Visitor } from "./console.ts";

/** Settings of a service whose console signs people in at the identity provider of the tests. */
export const withSignIn = { environment: { OIDC_CLIENT_ID: "asset-registry" } };

/** Chooses who to be on the page of the identity provider, which the visitor is led to. */
export async function chooseUser(page: Page, user: string): Promise<void> {
  await page.getByLabel("Or anybody else:").fill(user);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Signs a visitor in from a page that wants it, and waits until they are back. */
export async function signIn({ page, seen }: Visitor, issuer: string, user: string): Promise<void> {
  seen.allow(issuer);
  await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
  await chooseUser(page, user);
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}
