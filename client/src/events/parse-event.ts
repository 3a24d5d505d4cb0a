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
  const { id, sequence, kind, time, data, block = {} } = (read ?? {}) as Record<string, unknown>;
  const areTexts = [id, kind, time].every((text) => typeof text === "string");
  if (areTexts && Number.isSafeInteger(sequence) && isObject(data) && isObject(block)) {
    return read as RegistryEvent;
  }
  throw new ConnectionError("What came as an event is none of the service.");
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
