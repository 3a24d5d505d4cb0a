import type { Random } from "../simulation/random.ts";

/** Texts that break what takes a text for harmless. */
const texts = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udc00\ud800",
  "\ufeff",
  "\u202eevil",
  "e\u0301\u0323".repeat(40),
  "👩‍👩‍👧‍👦",
  "ﷺ",
  "İıſß",
  "\uffff\u{10ffff}",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "undefined",
  "NaN",
  "true",
  "0x",
  `0x${"0".repeat(64)}`,
  `0x${"f".repeat(65)}`,
  `0X${"A".repeat(64)}`,
  "0xZZ",
  "-1",
  "1e309",
  "0x1F",
  "9007199254740993",
  "99999999999999999999",
  "٣",
  "1_000",
  " 1",
  "2026-02-30T00:00:00Z",
  "9999-12-31T23:59:59.999999Z",
  "+275760-09-13T00:00:00Z",
  "0000-01-01T00:00:00Z",
  "-000001-01-01T00:00:00Z",
  "infinity",
  "-infinity",
  "now",
  "epoch",
  "' or 1=1 --",
  "$1",
  "%",
  "_%_",
  "\\",
  "\\x00",
  "{}",
  "[[[",
  "\r\nX-Injected: 1",
  "../../etc/passwd",
  "http://169.254.169.254/",
  "file:///etc/passwd",
  "<script>alert(1)</script>",
  "{{7*7}}",
  "%s%n",
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
];

const numbers = [
  0,
  -0,
  -1,
  1,
  1.5,
  1e-7,
  1e21,
  1e308,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 63,
  200,
  201,
  10_000,
  10_001,
];

const lengths = [1, 20, 21, 255, 256, 257, 2_048, 2_049, 65_536, 65_537];
const fillers = ["x", "é", "\u{1f600}", "\u0301", " ", "0", "\u0000", '"', "["];

export function hostileText(random: Random): string {
  if (random.chance(0.7)) return random.pick(texts);
  if (random.chance(0.3)) return random.bytes(random.whole(1, 40)).toString("utf16le");
  return random.pick(fillers).repeat(random.pick(lengths));
}

/** Text for a query or a header, where long ones are cut off early anyway. */
export function hostileShortText(random: Random): string {
  const text = hostileText(random);
  return random.chance(0.02) ? text : text.slice(0, 300);
}

/** A number as a text, at a limit of something. */
export const hostileNumber = (random: Random): number => random.pick(numbers);

/** Any JSON value of the wrong kind, and some of the right one. */
export function hostileValue(random: Random, depth = 0): unknown {
  const kind = random.whole(0, depth > 3 ? 4 : 8);
  if (kind <= 1) return hostileText(random);
  if (kind === 2) return hostileNumber(random);
  if (kind === 3) return random.pick([null, true, false]);
  if (kind === 4)
    return random.pick<unknown>([[], {}, [[]], [null], { length: 1 }, { $ref: "#" }, { toString: 1 }]);
  if (kind === 5)
    return Array.from({ length: random.pick([1, 2, 100, 101, 1_000]) }, () => hostileText(random));
  if (kind === 6) {
    return Object.fromEntries(
      Array.from({ length: random.whole(1, 5) }, () => [
        hostileText(random),
        hostileValue(random, depth + 1),
      ]),
    );
  }
  if (kind === 7) return nested(random.pick([2, 50, 500]), random.chance(0.5));
  return [hostileValue(random, depth + 1), hostileValue(random, depth + 1)];
}

function nested(levels: number, lists: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = lists ? [value] : { a: value };
  return value;
}
