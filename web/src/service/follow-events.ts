import { type EventQuery, type RegistryClient, RegistryError } from "asset-registry-client";

/** Reads as somebody; whoever that is learns where it is refused. */
export type ReadAs = (read: (registry: RegistryClient) => Promise<void>) => Promise<void>;

export type Followers = {
  /** Something happened, or may have while nobody was told. */
  changed(): void;
  /** Whether changes are told as they happen, so that asking again and again is needless. */
  live(isLive: boolean): void;
};

/** Events of the browser about a page. */
export type PageSigns = Listening & { document: Listening & { visibilityState: string } };

type Listening = Record<"addEventListener" | "removeEventListener", Listen>;
type Listen = (sign: string, heard: () => void) => void;

/** Milliseconds. */
export type FollowPauses = {
  /** Between two tries of the stream where a proxy keeps it back: the page asks by itself meanwhile. */
  rare: number;
  /** Until another try after an error that may pass. */
  again: number;
  /** Until a page that nobody sees gives its connection up: a browser has six for all tabs of a site (HTTP/1.1). */
  unseen: number;
};

const usualPauses: FollowPauses = { rare: 60_000, again: 10_000, unseen: 60_000 };

/**
 * Follows events by one connection while the page is there and seen, and by another one after each time that it slept
 * or had no network. It says that there were changes, and nothing of what they are.
 * @returns what ends it
 */
export function followEvents(
  readAs: ReadAs,
  query: EventQuery,
  { changed, live }: Followers,
  page: PageSigns,
  pauses = usualPauses,
): () => void {
  let connection: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function connect(): Promise<void> {
    const own = new AbortController();
    const { signal } = own;
    connection = own;
    let isRefused = false;
    try {
      await readAs(async (registry) => {
        const events = registry.events({
          ...query,
          interval: pauses.rare,
          signal,
          onConnection({ state }) {
            if (signal.aborted) return;
            live(state === "live");
            if (state === "live") changed();
          },
        });
        for await (const _event of events) if (!signal.aborted) changed();
      });
    } catch (error) {
      // The page's own questions are answered the same, and it says so.
      isRefused = error instanceof RegistryError && error.status < 500 && error.status !== 429;
    }
    if (connection !== own) return;
    live(false);
    connection = undefined;
    if (!isRefused) timer = setTimeout(start, pauses.again);
  }

  function start(): void {
    stop();
    void connect();
  }

  function stop(): void {
    clearTimeout(timer);
    const ended = connection;
    connection = undefined;
    ended?.abort();
    if (ended !== undefined) live(false);
  }

  function seen(): void {
    clearTimeout(timer);
    if (page.document.visibilityState === "hidden") timer = setTimeout(stop, pauses.unseen);
    else if (connection === undefined) start();
  }

  page.document.addEventListener("visibilitychange", seen);
  page.addEventListener("online", start);
  // A page that is left may be kept, and shown again; an open connection would keep it from that.
  page.addEventListener("pagehide", stop);
  page.addEventListener("pageshow", seen);
  start();
  return () => {
    page.document.removeEventListener("visibilitychange", seen);
    page.removeEventListener("online", start);
    page.removeEventListener("pagehide", stop);
    page.removeEventListener("pageshow", seen);
    stop();
  };
}
