import { ApiError } from "../../domain/errors.ts";

/** Most streams of one process, whoever they are for. */
const MOST = 5_000;

export type StreamPlaces = ReturnType<typeof createStreamPlaces>;

/** Counts the open streams of this process. */
export function createStreamPlaces(mostOfOne: number, mostOfAll = MOST) {
  const open = new Map<string, number>();
  let all = 0;
  let withoutCredential = 0;

  return {
    /**
     * Takes a place for an API key, or for an address without one. Callers without a credential, who may have thousands of
     * addresses, leave half of all places to the others. @returns what gives it back
     * @throws ApiError TOO_MANY_STREAMS
     */
    take(owner: string, hasCredential: boolean): () => void {
      const own = open.get(owner) ?? 0;
      if (own >= mostOfOne) {
        throw new ApiError(
          "TOO_MANY_STREAMS",
          `You have ${mostOfOne} streams open here, as many as are allowed. Close one, or let one serve all that you read.`,
        );
      }
      if (all >= mostOfAll || (!hasCredential && withoutCredential >= mostOfAll / 2)) {
        throw new ApiError(
          "TOO_MANY_STREAMS",
          "So many streams are open here that there is no room for another.",
        );
      }
      open.set(owner, own + 1);
      all += 1;
      if (!hasCredential) withoutCredential += 1;
      return () => {
        const left = (open.get(owner) ?? 1) - 1;
        if (left === 0) open.delete(owner);
        else open.set(owner, left);
        all -= 1;
        if (!hasCredential) withoutCredential -= 1;
      };
    },
    /** How many are open. */
    count: (): number => all,
  };
}
