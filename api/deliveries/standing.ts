import { createPlaces, type Places } from "./places.ts";
import type { QueueName } from "./queue.ts";

/** How the receiver of a webhook did last, as far as this process knows. */
type Standing = "quick" | "slow" | "failing" | "unknown";

/** Where the next attempts at a receiver take their places, and how many may be under way. */
export type Room = { places: Places; atOnce: number };

/** Attempts at one receiver at a time, over all processes. */
export const AT_ONCE = 8;

/** Receivers that are remembered. */
const MOST = 10_000;

/**
 * Keeps receivers that answer quickly apart from those that do not, which share places of their own. Until a receiver
 * has accepted something it gets one attempt at a time.
 * @param patience milliseconds in which a quick receiver answers
 */
export function createStandings(size: number, patience = 300) {
  const standings = new Map<string, Standing>();
  const quick = createPlaces(size, patience);
  const slow = createPlaces(size, patience);

  function note(webhookId: string, standing: Standing): void {
    standings.delete(webhookId);
    standings.set(webhookId, standing);
    const [[oldest] = []] = standings;
    if (standings.size > MOST && oldest !== undefined) standings.delete(oldest);
  }

  return {
    /** Jobs of a queue that may begin now. */
    free: (queue: QueueName) => (queue === "webhooks" ? quick : slow).free,
    roomOf(webhookId: string, queue: QueueName): Room {
      const standing = standings.get(webhookId) ?? "unknown";
      const isQuick = standing === "quick" || (standing === "unknown" && queue === "webhooks");
      const isTrusted = standing === "quick" || standing === "slow";
      return { places: isQuick ? quick : slow, atOnce: isTrusted ? AT_ONCE : 1 };
    },
    /**
     * Runs an attempt in a place that was taken.
     * @param attempt tells whether the receiver accepted it
     */
    async hold(webhookId: string, places: Places, attempt: () => Promise<boolean>): Promise<void> {
      const begun = performance.now();
      let isAccepted = false;
      await places.hold(
        async () => {
          isAccepted = await attempt();
        },
        () => note(webhookId, "failing"),
      );
      if (!isAccepted) note(webhookId, "failing");
      else note(webhookId, performance.now() - begun < patience ? "quick" : "slow");
    },
  };
}

export type Standings = ReturnType<typeof createStandings>;
