import type { Database, Pool } from "../../db/core/pool.ts";
import type { Statement } from "../../db/core/statement.ts";

export type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: Plan[];
};

/** A connection, or a pool of them, that explains each question before it asks it. */
export function explaining<Asked extends Database>(db: Asked, plans: Plan[]): Asked {
  return new Proxy(db, {
    get: (target, name) => {
      if (name === "connect") {
        return async () => explaining(await (target as Pool & Asked).connect(), plans);
      }
      if (name !== "query") {
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      }
      return async (question: string | (Statement & { values: unknown[] }), given?: unknown[]) => {
        const { text, values } = typeof question === "string" ? { text: question, values: given } : question;
        if (/^\s*(with|select)\b/.test(text) && !text.includes("set_config")) {
          const { rows } = await target.query(`explain (analyze, buffers, format json) ${text}`, values);
          plans.push(rows[0]["QUERY PLAN"][0].Plan);
        }
        return target.query(text, values);
      };
    },
  });
}

const flat = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)];

/** Names of the tables that plans read whole. */
export const tablesReadWhole = (plans: readonly Plan[]): (string | undefined)[] =>
  plans
    .flatMap(flat)
    .filter((plan) => plan["Node Type"] === "Seq Scan")
    .map((plan) => plan["Relation Name"]);

/** Pages of 8 KiB that a plan read. */
export const pagesRead = (plan: Plan): number => plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
