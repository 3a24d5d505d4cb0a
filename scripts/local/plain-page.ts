import { hash } from "node:crypto";

const style = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  main { max-width: 22rem; margin: 10vh auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; }
  form, .choices { display: grid; gap: 0.75rem; margin-bottom: 1.5rem; }
  button, input { font: inherit; padding: 0.6rem; box-sizing: border-box; width: 100%; }
  [role=alert] { font-weight: bold; }
`;

/**
 * Headers of such a page, which loads nothing. Browsers hold `form-action` against the redirects behind a form, too, which
 * lead back to the console, so it is left open.
 */
export const plainPageHeaders = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'; frame-ancestors 'none'; base-uri 'none'`,
};

/** A small page of the identity provider for development; what is put into it must be HTML. */
export function plainPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
}
