/** Runs what happens side by side. The first failure is kept, so that everything else can stop by it. */
export function sideBySide() {
  const state = {
    failed: undefined as unknown,
    /** Ends when all have, failed ones too. */
    async run(all: readonly Promise<void>[]): Promise<void> {
      const keep = (error: unknown) => {
        state.failed ??= error;
      };
      await Promise.all(all.map((one) => one.catch(keep)));
    },
  };
  return state;
}
