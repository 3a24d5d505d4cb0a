import { providerUnavailable } from "./errors.ts";

/** Largest document of an identity provider, in bytes; real ones have a few thousand. */
const MOST_BYTES = 1024 * 1024;

/**
 * Reads a JSON document of an identity provider, bounded in bytes and time.
 * @throws ApiError IDENTITY_PROVIDER_UNAVAILABLE with the problem of the answer
 */
export async function readProviderDocument(address: string, timeoutMs: number): Promise<unknown> {
  const limit = AbortSignal.timeout(timeoutMs);
  const late = `it does not answer within ${timeoutMs} ms`;
  const answer = await fetch(address, {
    signal: limit,
    redirect: "manual",
    headers: { accept: "application/json" },
  }).catch((error: unknown) => {
    throw providerUnavailable(limit.aborted ? late : `it does not answer (${networkCode(error)})`);
  });
  const where = new URL(address).pathname;
  if (answer.status !== 200) {
    await answer.body?.cancel();
    throw providerUnavailable(`${where} answers with ${statusWords(answer, address)}`);
  }
  const text = await readBounded(answer).catch(() => {
    throw providerUnavailable(limit.aborted ? late : `its answer at ${where} breaks off`);
  });
  if (text === undefined) throw providerUnavailable(`its answer at ${where} is larger than 1 MiB`);
  try {
    return JSON.parse(text);
  } catch {
    throw providerUnavailable(`its answer at ${where} is not JSON`);
  }
}

/** @returns undefined for a body that is too large */
async function readBounded({ body }: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    // Leaving the loop ends the connection.
    if (size > MOST_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts, size).toString();
}

function statusWords({ status, headers }: Response, asked: string): string {
  const target = URL.parse(headers.get("location") ?? "", asked);
  if (status < 300 || status > 399 || target === null) return `status ${status}`;
  const leadsTo = `${target.origin}${target.pathname}`.slice(0, 300);
  return `status ${status}, a redirect to ${leadsTo}: redirects are not followed, so OIDC_ISSUER must name the issuer itself`;
}

/** `ECONNREFUSED`, `SELF_SIGNED_CERT_IN_CHAIN` and the like, from the cause of fetch's error. */
function networkCode(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === "string" ? cause.code : "network error";
}
