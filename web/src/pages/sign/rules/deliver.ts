import { ConnectionError, type RegistryClient, RegistryError } from "asset-registry-client";
import type { Answer } from "./sign-request.ts";

type Service = Pick<RegistryClient, "submit" | "refuse">;

/** Milliseconds between two tries. */
const PAUSE = 3_000;

/** Whether the same call may succeed later: nobody answered, or the service or its node is away or busy. */
export function mayComeBack(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof RegistryError && (error.status >= 500 || error.status === 429);
}

/**
 * Hands an answer of the author's in, and tries again as long as the service is away.
 * @throws RegistryError where the service refuses it, and the signal's reason
 */
export async function deliver(
  service: Service,
  id: string,
  answer: Answer,
  signal: AbortSignal,
  pause: (signal: AbortSignal) => Promise<void> = pauseFor,
): Promise<void> {
  for (;;) {
    try {
      if (answer.way === "refuse") await service.refuse(id, answer.signature, { signal });
      else if (answer.way === "gasless")
        await service.submit(id, { signature: answer.signature }, { signal });
      else await service.submit(id, { transactionHash: answer.transactionHash }, { signal });
      return;
    } catch (error) {
      signal.throwIfAborted();
      // The day's budget is not back before tomorrow.
      const isSpent = error instanceof RegistryError && error.code === "RELAYER_BUDGET_SPENT";
      if (isSpent || !mayComeBack(error)) throw error;
    }
    await pause(signal);
  }
}

async function pauseFor(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, PAUSE);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  signal.throwIfAborted();
}
