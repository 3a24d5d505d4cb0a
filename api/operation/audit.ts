import { type Actor, insertAudit } from "../../db/service/audit.ts";
import type { Keep } from "./route.ts";

/** Stores who did what with each change, in its transaction; and what `keep` stores beside it. */
export function auditedBy(by: Actor, keep: Keep): Keep {
  return async (db, answer, event) => {
    if (event !== undefined) await insertAudit(db, by, event);
    return await keep(db, answer, event);
  };
}
