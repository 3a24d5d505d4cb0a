/** An answer that is asked for now and read later, or never: a failure shows where it is read, and only there. */
export function readLater<Value>(answer: Promise<Value>): Promise<Value> {
  answer.catch(() => undefined);
  return answer;
}
