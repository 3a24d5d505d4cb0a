const units = ["B", "kB", "MB", "GB", "TB"] as const;

/** A size in bytes for people, in powers of 1,000 as files are sold and shown. */
export function sizeInWords(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toFixed(digits)} ${units[unit]}`;
}
