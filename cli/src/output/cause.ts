/** The message of an error's innermost cause, such as "connect ECONNREFUSED 127.0.0.1:3000", without a last period. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A host of several addresses that all refuse says nothing itself.
  if (error instanceof AggregateError && error.errors.length > 0) return causeOf(error.errors[0]);
  const { cause } = error;
  const inner = cause instanceof Error ? causeOf(cause) : "";
  return inner === "" ? error.message.replace(/\.$/, "") : inner;
}
