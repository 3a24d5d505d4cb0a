const escapes: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** HTML that may stand in a page as it is; plain texts become that by `html` alone. */
export type Html = { html: string };

type Part = Html | Html[] | string | number | undefined;

/** A piece of a page: whatever is put in is escaped, unless it is such a piece itself. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return { html: strings.map((text, index) => text + render(parts[index])).join("") };
}

function render(part: Part): string {
  if (part === undefined) return "";
  if (typeof part === "string" || typeof part === "number") return escaped(String(part));
  return Array.isArray(part) ? part.map((one) => one.html).join("") : part.html;
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => escapes[sign] ?? sign);

/** A sentence in which `code` stands between backticks. */
export function prose(text: string): Html {
  return { html: escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>") };
}
