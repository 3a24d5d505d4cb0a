import type { RegistryEvent } from "../../../client/src/types/event.ts";
import type { Arrival } from "./receiver.ts";

/** What is wrong with what a reader of the stream has in the end. */
export function wronglyRead(log: readonly RegistryEvent[], seen: readonly RegistryEvent[]): string[] {
  const differs = log.findIndex((event, place) => JSON.stringify(event) !== JSON.stringify(seen[place]));
  if (differs === -1 && log.length === seen.length) return [];
  if (differs === -1) return [`the reader has ${seen.length} events, the log ${log.length}`];
  const at = (list: readonly RegistryEvent[]) => JSON.stringify(list[differs])?.slice(0, 200);
  return [`the reader has ${at(seen)} where the log has ${at(log)}`];
}

const subjectOf = ({ assetId, id }: RegistryEvent): string => assetId ?? id;

/**
 * What is wrong with what a receiver got: each event at least once, those of one subject in order, the next when the one
 * before is accepted, and a repetition with the same id and the same bytes.
 */
export function wronglyDelivered(log: readonly RegistryEvent[], arrivals: readonly Arrival[]): string[] {
  const problems: string[] = [];
  const subjects = new Map<string, { events: RegistryEvent[]; accepted: number }>();
  const places = new Map<string, { subject: string; place: number }>();
  for (const event of log) {
    const subject = subjectOf(event);
    const known = subjects.get(subject) ?? { events: [], accepted: 0 };
    places.set(event.id, { subject, place: known.events.push(event) - 1 });
    subjects.set(subject, known);
  }
  const bodies = new Map<string, string>();
  for (const { id, sequence, body, accepted } of arrivals) {
    const found = places.get(id);
    const subject = subjects.get(found?.subject ?? "");
    if (found === undefined || subject === undefined) problems.push(`${id} arrived, and is not in the log`);
    else if (found.place > subject.accepted)
      problems.push(`${sequence} arrived before one of its subject was accepted`);
    else if (accepted && found.place === subject.accepted) subject.accepted += 1;
    if ((bodies.get(id) ?? body) !== body) problems.push(`${sequence} came again with other bytes`);
    bodies.set(id, body);
    if (JSON.stringify(subject?.events[found?.place ?? 0]) !== body)
      problems.push(`${sequence} is another in the log`);
  }
  for (const { events, accepted } of subjects.values()) {
    if (accepted < events.length) problems.push(`${events[accepted]?.sequence} was not delivered`);
  }
  return problems;
}
