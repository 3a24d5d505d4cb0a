import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

export type JsonSchema = { [keyword: string]: unknown };

export type Components = ReturnType<typeof createComponents>;

/** The schemas that have a name, each once; `add` answers a schema, or a reference where it has one. */
export function createComponents() {
  const schemas: Record<string, JsonSchema> = {};

  function add(schema: z.ZodType, io: "input" | "output"): JsonSchema {
    const generated = z.toJSONSchema(schema, { io, override: refine });
    const { $schema: _, $defs = {}, ...own } = relocated(generated);
    for (const [name, definition] of Object.entries($defs as Record<string, JsonSchema>)) {
      const known = schemas[name];
      if (known !== undefined && !isDeepStrictEqual(known, definition)) {
        throw new Error(`Two schemas have the name ${name}`);
      }
      schemas[name] = definition;
    }
    return own;
  }

  return { schemas, add };
}

type Refinable = { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema };

/** Examples of a request are what is sent, which zod leaves out; the bounds of a safe integer say nothing. */
function refine({ zodSchema, jsonSchema }: Refinable): void {
  const examples = z.globalRegistry.get(zodSchema)?.["examples"];
  if (examples !== undefined) jsonSchema["examples"] = examples;
  if (jsonSchema["maximum"] === Number.MAX_SAFE_INTEGER) delete jsonSchema["maximum"];
  if (jsonSchema["minimum"] === Number.MIN_SAFE_INTEGER) delete jsonSchema["minimum"];
}

function relocated(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/'));
}
