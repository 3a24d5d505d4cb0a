import { type DestinationStream, pino } from "pino";

/** Characters that are written at once, and milliseconds after which fewer are. */
const block = { size: 32_768, wait: 500 };

/**
 * Writes the lines of a log to a file in blocks, which costs a fraction of writing each; what is left when the
 * process ends is written then. (Of the destination's own `minLength` each line would cost a look at all that wait.)
 */
export function logInBlocks(fd: number): DestinationStream {
  const destination = pino.destination({ fd, sync: false, maxWrite: 4 * block.size });
  let lines: string[] = [];
  let size = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (size === 0) return;
    destination.write(lines.join(""));
    lines = [];
    size = 0;
  }

  // The destination ends itself at these moments, too: what is left has to be there before.
  process.prependListener("beforeExit", flush);
  process.prependListener("exit", flush);
  return {
    write(line) {
      lines.push(line);
      size += line.length;
      if (size >= block.size) flush();
      else timer ??= setTimeout(flush, block.wait).unref();
    },
  };
}
