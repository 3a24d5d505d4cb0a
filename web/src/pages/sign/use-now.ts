import { useEffect, useState } from "react";

/** Milliseconds between two looks at the clock. */
const STEP = 5_000;

/** The time, as milliseconds since 1970, which goes on while a page shows it. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), STEP);
    return () => clearInterval(timer);
  }, []);
  return now;
}
