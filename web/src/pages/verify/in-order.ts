/** Reads what people give one after the other, and takes it in the order in which they gave it, however long each takes. */
export function createOrder() {
  let last: Promise<void> = Promise.resolve();
  let turn = 0;
  return {
    /** Whatever is being read belongs to a question that is over. */
    beginAnew(): void {
      turn += 1;
    },
    /** Takes a value once everything that was given before it was taken, unless it belongs to a question that is over. */
    async take<Value>(reading: Promise<Value>, then: (value: Value) => void): Promise<void> {
      const own = turn;
      const before = last;
      last = (async () => {
        const value = await reading;
        await before;
        if (own === turn) then(value);
      })();
      await last;
    },
  };
}
