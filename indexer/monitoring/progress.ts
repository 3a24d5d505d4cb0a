import type { Logger } from "pino";
import type { IndexPosition } from "../../domain/index/index-position.ts";
import { remainingSeconds } from "../../domain/index/remaining.ts";
import { limits } from "../../domain/limits.ts";

type Terminal = Pick<NodeJS.WriteStream, "write" | "isTTY">;
type Place = Pick<IndexPosition, "startBlock" | "blockNumber" | "headNumber">;

const samplesKept = 6;
const logEveryMs = 10_000;

/**
 * Reports the progress of a backfill: on a terminal as a line that changes, in a log as a line every ten seconds.
 * Nothing is reported within the depth of a reorg.
 */
export function createProgress(log: Logger, terminal: Terminal = process.stderr) {
  let samples: { at: number; block: number }[] = [];
  let loggedAt = Number.NEGATIVE_INFINITY;

  return {
    /** @returns blocks a second, measured over the newest calls; undefined near the head */
    note({ startBlock, blockNumber, headNumber }: Place, now = performance.now()): number | undefined {
      if (headNumber - blockNumber <= limits.reorgDepth) {
        if (samples.length > 0 && terminal.isTTY) terminal.write("\u001b[K");
        samples = [];
        return undefined;
      }
      samples = [...samples, { at: now, block: blockNumber }].slice(-samplesKept);
      const [oldest = { at: now, block: blockNumber }] = samples;
      if (now === oldest.at) return undefined;
      const blocksPerSecond = (blockNumber - oldest.block) / ((now - oldest.at) / 1000);
      const remaining = remainingSeconds(headNumber - blockNumber, blocksPerSecond);
      if (terminal.isTTY) {
        const share = Math.floor((100 * (blockNumber - startBlock + 1)) / (headNumber - startBlock + 1));
        const text = [
          `indexing: block ${count(blockNumber)} of ${count(headNumber)} (${share} %)`,
          `${count(Math.round(blocksPerSecond))} blocks/s`,
          ...(remaining === undefined ? [] : [`${count(remaining)} s left`]),
        ].join(", ");
        // The carriage return lets the next output overwrite the line.
        terminal.write(`${text}\u001b[K\r`);
      } else if (now - loggedAt >= logEveryMs) {
        loggedAt = now;
        log.info(
          { block: blockNumber, head: headNumber, blocksPerSecond, remainingSeconds: remaining },
          "indexing",
        );
      }
      return blocksPerSecond;
    },
  };
}

const count = (value: number) => value.toLocaleString("en");
