import { hash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { userNameRule } from "./developer-login.ts";

/** Users to try the service with; any other name will do as well. */
export const demoUsers = ["alice", "bob", "carol"] as const;

const style = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  main { max-width: 22rem; margin: 10vh auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; }
  form { display: grid; gap: 0.75rem; }
  button, input { font: inherit; padding: 0.6rem; box-sizing: border-box; width: 100%; }
  [role=alert] { font-weight: bold; }
`;

/** Sends the page on which a developer chooses who to be. */
export function sendSignInPage(response: ServerResponse, { refused = false } = {}): void {
  const buttons = demoUsers.map((name) => `<button name="user" value="${name}">${name}</button>`).join("\n");
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in (development)</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Sign in</h1>
<p>This identity provider is for development: it asks for no password and believes every name. Who are you?</p>
<form method="post">
${buttons}
</form>
<p>Or anybody else:</p>
<form method="post">
${refused ? `<p role="alert">${userNameRule}</p>` : ""}
<label for="user">User name</label>
<input id="user" name="user" required maxlength="64" autocomplete="off" autocapitalize="none" spellcheck="false">
<button>Sign in</button>
</form>
<form method="post">
<p></p>
<button name="cancel" value="yes">Cancel</button>
</form>
</main>
</body>
</html>
`;
  response.writeHead(refused ? 400 : 200, {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    // Browsers hold `form-action` against the redirects behind a form, too, which lead back to the console.
    "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; frame-ancestors 'none'; base-uri 'none'`,
  });
  response.end(page);
}
