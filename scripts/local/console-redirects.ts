import type { Provider } from "oidc-provider";
import { urlBase } from "../../domain/url/base.ts";
import { LOCALHOST } from "./ports.ts";

const ownMachine = [LOCALHOST, "localhost", "[::1]"];

/**
 * Whether a sign-in may lead back to this URL: a page of the console, of the service that users reach at `publicUrl` or of
 * one on this machine, whatever its port.
 */
export function isConsolePage(url: string, publicUrl: string | undefined): boolean {
  const page = URL.parse(url);
  if (page === null || page.hash !== "" || page.username !== "" || page.password !== "") return false;
  if (publicUrl !== undefined && page.href.startsWith(`${urlBase(publicUrl)}/console/`)) return true;
  const isOwn = page.protocol === "http:" && ownMachine.includes(page.hostname);
  return isOwn && page.pathname.startsWith("/console/");
}

/** Lets sign-ins and sign-outs of every client lead back to pages of the console. */
export function leadBackToConsole(provider: Provider, publicUrl: string | undefined): void {
  const { prototype } = provider.Client;
  const { redirectUriAllowed, postLogoutRedirectUriAllowed } = prototype;
  prototype.redirectUriAllowed = function (url) {
    return isConsolePage(url, publicUrl) || redirectUriAllowed.call(this, url);
  };
  prototype.postLogoutRedirectUriAllowed = function (url) {
    return isConsolePage(url, publicUrl) || postLogoutRedirectUriAllowed.call(this, url);
  };
}
