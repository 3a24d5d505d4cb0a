import { useCallback, useEffect, useRef, useState } from "react";

/** A list as far as it was read; `state` is `more` where it may go on. */
export type Listing<Entry> = {
  entries: Entry[];
  state: "loading" | "more" | "end" | "failed";
  error: unknown;
  /** Reads on, and after a failure from the beginning. */
  more(): void;
};

type Read<Entry> = Pick<Listing<Entry>, "entries" | "state" | "error">;

/**
 * Reads a list some entries at a time, and anew when `key` changes; undefined of `start` reads none.
 * @param step entries that are read at once
 */
export function useListing<Entry>(
  key: string,
  start: (signal: AbortSignal) => AsyncIterable<Entry>,
  step = 20,
): Listing<Entry> {
  const [read, setRead] = useState<Read<Entry>>({ entries: [], state: "loading", error: undefined });
  const [attempt, setAttempt] = useState(0);
  const source = useRef<AsyncIterator<Entry>>(undefined);

  const pull = useCallback(
    async (from: AsyncIterator<Entry>) => {
      const entries: Entry[] = [];
      const add = (state: Listing<Entry>["state"], error?: unknown) => {
        if (source.current !== from) return;
        setRead((before) => ({ entries: [...before.entries, ...entries], state, error }));
      };
      try {
        while (entries.length < step) {
          const next = await from.next();
          if (next.done) return add("end");
          entries.push(next.value);
        }
        add("more");
      } catch (error) {
        add("failed", error);
      }
    },
    [step],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the start, which is another function at each render
  useEffect(() => {
    const control = new AbortController();
    const from = start(control.signal)[Symbol.asyncIterator]();
    source.current = from;
    setRead({ entries: [], state: "loading", error: undefined });
    void pull(from);
    return () => {
      source.current = undefined;
      control.abort();
    };
  }, [key, attempt, pull]);

  const more = () => {
    if (read.state === "failed") return setAttempt(attempt + 1);
    if (read.state !== "more" || source.current === undefined) return;
    setRead({ ...read, state: "loading" });
    void pull(source.current);
  };
  return { ...read, more };
}
