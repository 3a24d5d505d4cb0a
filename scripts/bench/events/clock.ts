/**
 * Makes a clock of milliseconds since 1970, as PostgreSQL's on the same machine, in fractions of a millisecond. Made anew
 * for each measurement: the system's clock may be adjusted meanwhile, and this one is not.
 */
export function startClock(): () => number {
  const before = Date.now();
  let tick = before;
  while (tick === before) tick = Date.now();
  const offset = tick - performance.now();
  return () => offset + performance.now();
}
