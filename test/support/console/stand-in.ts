import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { limits } from "../../../domain/limits.ts";
import type { Service } from "../service.ts";

const dist = join(import.meta.dirname, "..", "..", "..", "web", "dist");
const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const types: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Serves the built console in the API's place, until the API does so. */
export async function serveBuilt(context: BrowserContext, { url, rig, issuer }: Service): Promise<void> {
  const settings = {
    name: "asset-registry",
    version: "0.1.0",
    publicUrl: url,
    chain: {
      id: rig.registry.chainId,
      name: "Test chain",
      nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
      rpcUrl: rig.anvil.url,
      explorerUrl: null,
    },
    registry: rig.registry.address,
    confirmations: 5,
    identity: { issuer, clientId: "asset-registry", scope: "openid" },
    limits: { text: limits.text, note: limits.note, targets: limits.targets },
  };
  await context.route(`${url}/console/**`, async (route) => {
    const path = new URL(route.request().url()).pathname.slice("/console/".length);
    if (path === "settings.json") return await route.fulfill({ json: settings });
    const file = path !== "" && existsSync(join(dist, path)) ? path : "index.html";
    const body = await readFile(join(dist, file));
    const headers = {
      "content-type": types[extname(file)] ?? "text/plain",
      "content-security-policy": policy,
    };
    await route.fulfill({ body, headers });
  });
}
