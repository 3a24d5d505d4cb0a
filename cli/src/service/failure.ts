import { ArgumentError, ConnectionError, RegistryError } from "asset-registry-client";
import { causeOf } from "../output/cause.ts";
import { printable } from "../output/printable.ts";
import { misuse, Problem } from "../problem.ts";

/** What a call of the service failed by, in words; undefined where it is none of its errors. */
export function serviceProblem(error: unknown): Problem | undefined {
  if (error instanceof RegistryError) {
    const details = error.details
      .map(({ field, message }) => `${field} ${message}`)
      .filter((detail) => !error.message.includes(detail))
      .map((detail) => ` ${detail}.`)
      .join("");
    const text = `The service answered ${error.code}: ${error.message}${details}`;
    return new Problem(codeOf(error), printable(text));
  }
  if (error instanceof ConnectionError) {
    const { url } = error;
    const host = url !== undefined && URL.canParse(url) ? ` at ${new URL(url).host}` : "";
    const what =
      error.status === undefined
        ? `The service${host} does not answer`
        : `What answers${host} is not the service`;
    return new Problem("service-unreachable", `${what}: ${printable(causeOf(error))}.`);
  }
  return error instanceof ArgumentError ? misuse("argument-invalid", printable(error.message)) : undefined;
}

function codeOf({ code, status }: RegistryError): string {
  if (code === "ASSET_NOT_FOUND" || code === "TRANSACTION_NOT_FOUND") return "not-found";
  if (status === 401 || status === 403) return "service-denied";
  return status >= 500 || status === 429 ? "service-unavailable" : "service-refused";
}
