import { createHash } from "node:crypto";
import { type ErrorCode, errorTable } from "../../domain/errors.ts";
import type { JsonSchema } from "./components.ts";
import type { OpenApiDocument, Operation } from "./document.ts";
import { type Html, html, prose } from "./html.ts";
import { exampleOf, fieldTable, refOf, typeWords } from "./schema-words.ts";
import { style } from "./style.ts";

/** The page runs and fetches nothing: only its own style is let in. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** The document as a page to read, on one file without a script. */
export function renderPage(document: OpenApiDocument): string {
  const { info, tags, paths, components } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} ${info.version}</title>
<style>${{ html: style }}</style>
</head>
<body>
<header><h1>${info.title} ${info.version}</h1>
${paragraphs(info.description)}
<p>For programs: <a href="/openapi.json">openapi.json</a></p></header>
<nav aria-label="Operations"><ul>${operations.map(
    ({ path, method, operation }) =>
      html`<li><a href="#${operation.operationId}"><code>${method.toUpperCase()} ${path}</code></a></li>`,
  )}</ul></nav>
<main>${tags.map(
    ({ name, description }) =>
      html`<h2>${description}</h2>${operations
        .filter(({ operation }) => operation.tags.includes(name))
        .map((one) => renderOperation(one, components.schemas))}`,
  )}
<h2>Shapes</h2>${Object.entries(components.schemas).map(
    ([name, schema]) => html`<h3 id="${name}">${name}</h3>${renderSchema(schema)}`,
  )}
<h2>Errors</h2>${errorRows(Object.keys(errorTable) as ErrorCode[])}
</main>
</body>
</html>
`;
  return page.html;
}

type Named = { path: string; method: string; operation: Operation };

function renderOperation({ path, method, operation }: Named, schemas: Record<string, JsonSchema>): Html {
  const { operationId, summary, security, requestBody, responses } = operation;
  const codes = Object.keys(errorTable).filter((code) => JSON.stringify(responses).includes(`"${code}"`));
  return html`<section aria-labelledby="${operationId}">
<h3 id="${operationId}"><span class="method">${method}</span> <code>${path}</code></h3>
<p>${summary}.</p>
<p>Credentials: ${security.length === 0 ? "none are looked at" : security.map(alternative).join(", or ")}.</p>
${parameterTable(operation.parameters)}
${
  requestBody === undefined
    ? undefined
    : html`<h4>Body${requestBody.required ? "" : " (may be left out)"}</h4>${bodyOf(requestBody, schemas)}`
}
${Object.entries(responses)
  .filter(([status]) => status < "400")
  .map(([status, answer]) => html`<h4>Answer: ${status}</h4>${bodyOf(answer, schemas)}`)}
<details><summary>Errors</summary>${errorRows(codes as ErrorCode[])}</details>
</section>`;
}

function alternative(schemes: object): string {
  const words: Record<string, string> = { apiKey: "X-API-KEY", identityToken: "Authorization: Bearer" };
  const names = Object.keys(schemes).map((name) => words[name] ?? name);
  return names.length === 0 ? "none" : names.join(" and ");
}

function parameterTable(parameters: Operation["parameters"]): Html | undefined {
  const own = parameters.flatMap((parameter) => ("schema" in parameter ? [parameter] : []));
  if (own.length === 0) return undefined;
  return html`<h4>Parameters</h4><table>${own.map(
    ({ name, in: place, required, schema, description }) =>
      html`<tr><td><code>${name}</code></td><td>${place}${required ? "" : ", optional"}</td><td>${typeWords(schema)}</td><td>${prose(String(description ?? ""))}</td></tr>`,
  )}</table>`;
}

/** What one media type holds; of the envelope, its value. */
function bodyOf(described: object, schemas: Record<string, JsonSchema>): Html {
  const { content } = described as { content: Record<string, { schema: JsonSchema }> };
  return html`${Object.entries(content).map(([type, { schema }]) => {
    const { value } = (schema["properties"] ?? {}) as Record<string, JsonSchema>;
    const inside = value ?? schema;
    const example = exampleOf(inside, schemas);
    const shown = example === undefined || value === undefined ? example : { value: example };
    return html`<p><code>${type}</code>: ${value === undefined ? "" : prose("`value` is ")}${typeWords(inside)}</p>${
      refOf(inside) === undefined ? fieldTable(inside) : undefined
    }${shown === undefined ? undefined : html`<pre>${JSON.stringify(shown, null, 2)}</pre>`}`;
  })}`;
}

function renderSchema(schema: JsonSchema): Html {
  return html`<p>${prose(String(schema["description"] ?? ""))}</p>${fieldTable(schema) ?? html`<p>${typeWords(schema)}</p>`}`;
}

function errorRows(codes: ErrorCode[]): Html {
  return html`<table><tr><th>Code</th><th>HTTP</th><th>When</th><th>What to do</th></tr>${codes.map(
    (code) => {
      const { status, when, fix } = errorTable[code];
      return html`<tr><td><code>${code}</code></td><td>${status}</td><td>${prose(when)}</td><td>${prose(fix)}</td></tr>`;
    },
  )}</table>`;
}

function paragraphs(text: string): Html[] {
  return text.split("\n\n").map((block) => {
    const [first = "", ...items] = block.split("\n- ");
    const list =
      items.length === 0 ? undefined : html`<ul>${items.map((item) => html`<li>${prose(item)}</li>`)}</ul>`;
    return html`<p>${prose(first)}</p>${list}`;
  });
}
