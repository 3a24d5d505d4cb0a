import { ConnectionError } from "../errors.ts";
import type { RegistryEvent } from "../types/event.ts";

/**
 * An event of the service, whose data the service keeps to.
 * @throws ConnectionError where a text is none, such as what a proxy put into a stream
 */
export function parseEvent(text: string): RegistryEvent {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    // Reported below.
  }
  return checkEvent(read);
}

/** @throws ConnectionError where a value is no event of the log */
export function checkEvent(read: unknown): RegistryEvent {
  const { id, sequence, kind } = (read ?? {}) as Partial<RegistryEvent>;
  if (typeof id === "string" && typeof kind === "string" && Number.isSafeInteger(sequence)) {
    return read as RegistryEvent;
  }
  throw new ConnectionError("What came as an event is none of the service.");
}
