import { type Actor, type AuditEvent, insertAudit } from "../db/audit.ts";
import type { Database } from "../db/pool.ts";
import type { Answer, Keep } from "./route.ts";

/** Stores who did what with each change, in its transaction; and what `keep` stores beside it. */
export function auditedBy(by: Actor, keep: Keep): Keep {
  const audited = async <Value>(db: Database, answer: Answer<Value>, event: AuditEvent) => {
    await insertAudit(db, by, event);
    return await keep(db, answer, event);
  };
  return Object.assign(audited, { stores: true });
}
