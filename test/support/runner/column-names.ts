import pg from "pg";

/** Statements of this process whose results have two columns of one name, and those names. */
const repeated = new Map<string, string[]>();

type Described = { name: string };

/** The name of columns without one, and that of settings, which nobody reads where they are set. */
const unread = ["?column?", "set_config"];

/** Names that two columns share: a row, as an object, keeps only the last of them. */
function repeatedNames(fields: readonly Described[]): string[] {
  const names = fields.map(({ name }) => name).filter((name) => !unread.includes(name));
  return [...new Set(names.filter((name, place) => names.indexOf(name) !== place))];
}

function noteResults(): void {
  type Asked = { text?: string; handleRowDescription(message: { fields: Described[] }): void };
  const query = pg.Query.prototype as unknown as Asked;
  const { handleRowDescription } = query;
  query.handleRowDescription = function noted(message) {
    const names = repeatedNames(message.fields);
    if (names.length > 0) repeated.set(this.text ?? "", names);
    return handleRowDescription.call(this, message);
  };
}

/** The names that two columns of a statement's result shared, which is then no fault any more. */
export function takeRepeated(text: string): string[] {
  const names = repeated.get(text) ?? [];
  repeated.delete(text);
  return names;
}

export const mochaHooks = {
  beforeAll: noteResults,
  /** A column that another of its name hides is wrong without any error. */
  afterAll() {
    if (repeated.size === 0) return;
    const found = [...repeated].map(([text, names]) => `${names.join()}: ${text.replaceAll(/\s+/g, " ")}`);
    throw new Error(`Statements with two columns of one name:\n${found.join("\n")}`);
  },
};
