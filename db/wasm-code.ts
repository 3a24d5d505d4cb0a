/**
 * Words of WebAssembly's binary form, of which modules are made here rather than by a compiler. Source:
 * WebAssembly core specification 2.0, chapter 5.
 */

export const i32 = 0x7f;
export const v128 = 0x7b;

/** Numbers of variable length (LEB128). */
export function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}
function signed(value: number): number[] {
  return value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, ...signed(value >> 7)];
}

export const get = (local: number) => [0x20, ...unsigned(local)];
export const set = (local: number) => [0x21, ...unsigned(local)];
export const integer = (value: number) => [0x41, ...signed(value)];
export const simd = (operation: number) => [0xfd, ...unsigned(operation)];
export const [add, and, or, less, notBelow] = [[0x6a], [0x71], [0x72], [0x48], [0x4e]] as const;
export const when = (condition: number[], ...then: number[][]) => [
  ...condition,
  ...[0x04, 0x40],
  ...then.flat(),
  0x0b,
];
export const otherwise = [0x05];
/** `again` jumps back to `repeat` where the number before it is not zero. */
export const [repeat, again, end] = [[0x03, 0x40], [0x0d, 0x00], [0x0b]] as const;

type Function = {
  name: string;
  /** How many numbers it takes, and how many it gives back. */
  parameters: number;
  results: 0 | 1;
  /** How many variables of which type come after the parameters. */
  locals: readonly (readonly [count: number, type: number])[];
  code: readonly number[];
};

/** A module that exports `memory`, of one page, and one function. @param data what the memory begins with */
export function moduleOf(
  { name, parameters, results, locals, code }: Function,
  data: readonly number[],
): Uint8Array<ArrayBuffer> {
  const section = (id: number, content: readonly number[]) => [id, ...unsigned(content.length), ...content];
  const text = (value: string) => [value.length, ...Buffer.from(value)];
  const numbers = (count: number) => [count, ...new Array<number>(count).fill(i32)];
  const body = [locals.length, ...locals.flat(), ...code, ...end];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, ...numbers(parameters), ...numbers(results)]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [2, ...text("memory"), 2, 0, ...text(name), 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
    ...section(11, [1, 0, ...integer(0), ...end, ...unsigned(data.length), ...data]),
  ]);
}
