/** Bits of chance that the letters of a secret must show. 24 random hexadecimal digits have some 85 of 96. */
const LEAST_BITS = 72;
/** Steps to the next letter, to the one before or to the same, in a row: `abcdefg`, `7654321`, `aaaaaaa`. */
const LONGEST_RUN = 6;

const words = /change.?me|replace.?me|password|secret|example|default|qwerty|asdfgh|letmein|correct.?horse/i;

/** Whether a secret looks like one that nobody drew by chance. */
export function isWeakSecret(secret: string): boolean {
  return (
    words.test(secret) || bitsOf(secret) < LEAST_BITS || longestRun(secret) > LONGEST_RUN || repeats(secret)
  );
}

/** Whether it is one part again and again, the last time perhaps cut short. */
function repeats(secret: string): boolean {
  for (let part = 1; part <= secret.length / 2; part += 1) {
    if (secret.startsWith(secret.slice(part))) return true;
  }
  return false;
}

/** Shannon's measure of its letters, over all of it. */
function bitsOf(secret: string): number {
  const counts = new Map<string, number>();
  for (const letter of secret) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= count * Math.log2(count / secret.length);
  return bits;
}

function longestRun(secret: string): number {
  let [longest, run, last] = [0, 0, Number.NaN];
  for (let at = 1; at < secret.length; at += 1) {
    const step = secret.charCodeAt(at) - secret.charCodeAt(at - 1);
    run = Math.abs(step) > 1 ? 0 : step === last ? run + 1 : 1;
    last = step;
    longest = Math.max(longest, run);
  }
  return longest;
}
