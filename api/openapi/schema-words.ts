import type { JsonSchema } from "./components.ts";
import { type Html, html, prose } from "./html.ts";

/** Name of the schema that a reference leads to. */
export function refOf(schema: JsonSchema): string | undefined {
  const ref = schema["$ref"];
  return typeof ref === "string" ? ref.slice(ref.lastIndexOf("/") + 1) : undefined;
}

/** What a value is, in few words. */
export function typeWords(schema: JsonSchema): Html {
  const name = refOf(schema);
  if (name !== undefined) return html`<a href="#${name}">${name}</a>`;
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (schema["type"] === undefined && Array.isArray(choices)) {
    const words = (choices as JsonSchema[]).map(typeWords);
    return html`${words.map((word, index) => (index === 0 ? word : html` or ${word}`))}`;
  }
  if (Array.isArray(schema["enum"])) return html`one of ${schema["enum"].join(", ")}`;
  if (schema["const"] !== undefined) return html`${JSON.stringify(schema["const"])}`;
  if (schema["type"] === "array") {
    return html`list of ${typeWords((schema["items"] ?? {}) as JsonSchema)}${bounds(schema)}`;
  }
  return html`${String(schema["type"] ?? "anything")}${bounds(schema)}`;
}

const boundWords: Record<string, string> = {
  format: "",
  minLength: "at least characters: ",
  maxLength: "at most characters: ",
  minItems: "at least: ",
  maxItems: "at most: ",
  minimum: "from ",
  maximum: "to ",
  pattern: "",
};

function bounds(schema: JsonSchema): Html {
  const said = Object.entries(boundWords)
    .filter(([keyword]) => schema[keyword] !== undefined)
    .map(([keyword, words]) => html`, ${words}<code>${String(schema[keyword])}</code>`);
  return html`${said}`;
}

/** The fields of an object; undefined for anything else. */
export function fieldTable(schema: JsonSchema): Html | undefined {
  const properties = schema["properties"] as Record<string, JsonSchema> | undefined;
  if (properties === undefined) return undefined;
  const required = (schema["required"] ?? []) as string[];
  return html`<table><tr><th>Field</th><th></th><th>Type</th><th>Meaning</th></tr>${Object.entries(
    properties,
  ).map(
    ([name, field]) =>
      html`<tr><td><code>${name}</code></td><td>${required.includes(name) ? "" : "optional"}</td><td>${typeWords(field)}</td><td>${prose(String(field["description"] ?? ""))}</td></tr>`,
  )}</table>`;
}

/** The first example of a schema, or of what it refers to. */
export function exampleOf(schema: JsonSchema, schemas: Record<string, JsonSchema>): unknown {
  const name = refOf(schema);
  const examples = (name === undefined ? schema : schemas[name])?.["examples"];
  return Array.isArray(examples) ? examples[0] : undefined;
}
