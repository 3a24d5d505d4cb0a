/** Closes open resources by name in reverse order, each once. */
export type Closers = {
  /** To be closed by `close`; at once if that has run already. */
  add(name: string, close: () => Promise<void> | void): Promise<void>;
  close(onClosing?: (name: string) => void): Promise<void>;
};

export function createClosers(): Closers {
  const open: { name: string; close: () => Promise<void> | void }[] = [];
  let closed = false;
  return {
    async add(name, close) {
      if (closed) await close();
      else open.push({ name, close });
    },
    async close(onClosing = () => {}) {
      closed = true;
      for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
        onClosing(entry.name);
        await entry.close();
      }
    },
  };
}
