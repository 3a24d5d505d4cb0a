import { setTimeout as sleep } from "node:timers/promises";

/**
 * Looks again and again until `probe` answers something that `wanted` accepts.
 * @throws with the newest answer where that does not happen within `seconds`, of which a busy machine may need many
 */
export async function eventually<Answer>(
  what: string,
  probe: () => Promise<Answer>,
  wanted: (answer: Answer) => boolean,
  seconds = 60,
): Promise<Answer> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await probe();
    if (wanted(answer)) return answer;
    if (Date.now() > deadline) {
      throw new Error(
        `${what} did not happen within ${seconds} s; seen last: ${JSON.stringify(answer)?.slice(0, 2000)}`,
      );
    }
    await sleep(50);
  }
}
