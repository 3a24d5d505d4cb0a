import type { analyse } from "scslre";

type Pattern = ReturnType<typeof analyse>["parsed"]["pattern"];
type Alternative = Pattern["alternatives"][number];
type Element = Alternative["elements"][number];

/**
 * Whether a pattern that may begin anywhere goes on without an end over all that it begins with: `range.*exceed` reads
 * "range range range …" to its end from each of them. What repeats there is a word, which `scslre` does not look for.
 */
export function searchesOn({ alternatives }: Pattern, flags: string): boolean {
  if (flags.includes("y")) return false;
  return alternatives.some(({ elements }) => {
    const [first] = elements;
    const isAnchored = first?.type === "Assertion" && first.kind === "start" && !flags.includes("m");
    return !isAnchored && runsOn(elements, [], false, flags);
  });
}

/** @param before characters that the pattern begins with  @param goesOn whether something has to follow it */
function runsOn(elements: readonly Element[], before: number[], goesOn: boolean, flags: string): boolean {
  const seen = [...before];
  for (const [at, element] of elements.entries()) {
    const follows = goesOn || at < elements.length - 1;
    const isEndless = element.type === "Quantifier" && element.max === Number.POSITIVE_INFINITY;
    if (
      isEndless &&
      follows &&
      seen.length > 0 &&
      seen.every((code) => takes(element.element, code, flags))
    ) {
      return true;
    }
    const inner = element.type === "Quantifier" ? element.element : element;
    if (inner.type === "Group" || inner.type === "CapturingGroup") {
      if (inner.alternatives.some((one) => runsOn(one.elements, seen, follows, flags))) return true;
    }
    seen.push(...charactersOf(element));
  }
  return false;
}

function charactersOf(element: Element): number[] {
  if (element.type === "Character") return [element.value];
  if (element.type === "Quantifier") return charactersOf(element.element);
  if (element.type !== "Group" && element.type !== "CapturingGroup") return [];
  return element.alternatives[0]?.elements.flatMap(charactersOf) ?? [];
}

/** Whether any character but a few is taken, and this one is none of them. */
function takes(element: Element, code: number, flags: string): boolean {
  if (element.type === "CharacterSet") {
    if (element.kind === "any") return flags.includes("s") || code !== 0x0a;
    return "negate" in element && element.negate && !isOf(element.kind, code);
  }
  if (element.type !== "CharacterClass") return false;
  const isNamed = element.elements.some((one) => {
    if (one.type === "Character") return one.value === code;
    if (one.type === "CharacterClassRange") return one.min.value <= code && code <= one.max.value;
    // Of two that complete each other, such as [\s\S], one takes it.
    return one.type === "CharacterSet" && isOf(one.kind, code) !== ("negate" in one && one.negate);
  });
  return element.negate ? !isNamed : isNamed && element.elements.length > 1;
}

function isOf(kind: string, code: number): boolean {
  const character = String.fromCodePoint(code);
  if (kind === "space") return /\s/.test(character);
  if (kind === "digit") return /\d/.test(character);
  return kind === "word" && /\w/.test(character);
}
