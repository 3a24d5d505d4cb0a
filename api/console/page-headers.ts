import type { IncomingMessage, ServerResponse } from "node:http";
import helmet from "helmet";

/** Abilities of browsers that no page of the console needs. */
const unneeded = [
  "accelerometer",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "hid",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "serial",
  "usb",
];
const permissions = unneeded.map((name) => `${name}=()`).join(", ");

/** Protects a file of the console: a worker that is loaded from it runs files of the service alone, and calls nobody. */
export const protectConsoleFile = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'", "'wasm-unsafe-eval'"],
      frameAncestors: ["'none'"],
    },
  },
  frameguard: { action: "deny" },
});

/**
 * Sets the headers that protect whoever opens a page of the console: it loads files of the service itself alone, runs no
 * text as code, calls nobody but those named, and tells no other site its address, which may be as secret as the id in it.
 * @param connects whom the page may call besides the service itself, as sources of a content security policy
 */
export function protectConsolePage(
  request: IncomingMessage,
  response: ServerResponse,
  connects: readonly string[],
): void {
  const protect = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", "'wasm-unsafe-eval'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", "data:", "blob:"],
        fontSrc: ["'self'"],
        connectSrc: ["'self'", ...connects],
        workerSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    frameguard: { action: "deny" },
    referrerPolicy: { policy: "no-referrer" },
    // Some wallets open a window of their own, which must find its way back.
    crossOriginOpenerPolicy: { policy: "same-origin-allow-popups" },
  });
  protect(request, response, (error?: unknown) => {
    if (error !== undefined) throw error;
  });
  response.setHeader("Permissions-Policy", permissions);
}
