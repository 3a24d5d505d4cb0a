import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

/** A list as far as it was read; `state` is `more` where it may go on. */
export type Listing<Entry> = {
  entries: Entry[];
  state: "loading" | "more" | "end" | "failed";
  error: unknown;
  /** Reads on, and after a failure from the beginning. */
  more(): void;
};

type Read<Entry> = Pick<Listing<Entry>, "entries" | "state" | "error">;

type ListingOptions = {
  /** Entries that are read at once. */
  step?: number;
  /** Where this changes, the beginning is read again and takes the place of the old one, unless more was read. */
  asOf?: number | undefined;
};

/** Reads a list some entries at a time, and anew when `key` changes. */
export function useListing<Entry>(
  key: string,
  start: (signal: AbortSignal) => AsyncIterable<Entry>,
  { step = 20, asOf }: ListingOptions = {},
): Listing<Entry> {
  const [read, setRead] = useState<Read<Entry>>({ entries: [], state: "loading", error: undefined });
  const [attempt, setAttempt] = useState(0);
  const source = useRef<AsyncIterator<Entry>>(undefined);
  const steps = useRef(0);
  const shown = useRef("");
  const version = useVersion(asOf, steps);

  const pull = useCallback(
    async (from: AsyncIterator<Entry>, isFirst: boolean) => {
      const entries: Entry[] = [];
      const add = (state: Listing<Entry>["state"], error?: unknown) => {
        if (source.current !== from) return;
        if (state !== "failed") steps.current = isFirst ? 1 : steps.current + 1;
        const isInstead = isFirst && state !== "failed";
        setRead((before) => ({
          entries: isInstead ? entries : [...before.entries, ...entries],
          state,
          error,
        }));
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
    const isAnother = shown.current !== `${attempt} ${key}`;
    shown.current = `${attempt} ${key}`;
    if (isAnother) setRead({ entries: [], state: "loading", error: undefined });
    void pull(from, true);
    return () => {
      source.current = undefined;
      control.abort();
    };
  }, [key, attempt, version, pull]);

  const more = () => {
    if (read.state === "failed") return setAttempt(attempt + 1);
    if (read.state !== "more" || source.current === undefined) return;
    setRead({ ...read, state: "loading" });
    void pull(source.current, false);
  };
  return { ...read, more };
}

/** Counts the changes of a value from its first one on, as long as no more than one step was read. */
function useVersion(value: number | undefined, steps: RefObject<number>): number {
  const [version, setVersion] = useState(0);
  const last = useRef(value);
  useEffect(() => {
    const isChange = last.current !== undefined && value !== undefined && last.current !== value;
    last.current = value ?? last.current;
    if (isChange && steps.current === 1) setVersion((count) => count + 1);
  }, [value, steps]);
  return version;
}
