/** Width and height of an asset in the graph, and the gaps between, in pixels. */
export const size = { width: 208, height: 56 } as const;
const gap = { x: 24, y: 16, column: 112 } as const;

/** Fewest rows of a column that is broken into several. */
const fewestRows = 8;

export type Point = { x: number; y: number };

/**
 * Places of assets: columns from left to right, each centred on the same height, a long one broken into several side by
 * side. What comes later in a column never moves what is before it to another place in the order.
 */
export function layoutOf(nodes: Iterable<{ id: string; column: number }>): Map<string, Point> {
  const columns = new Map<number, { id: string }[]>();
  for (const node of nodes) {
    const inside = columns.get(node.column) ?? [];
    inside.push(node);
    columns.set(node.column, inside);
  }
  const places = new Map<string, Point>();
  let x = 0;
  for (const column of [...columns.keys()].sort((one, other) => one - other)) {
    const inside = columns.get(column) ?? [];
    const rows = Math.max(fewestRows, Math.ceil(Math.sqrt(inside.length * 2)));
    const height = Math.min(rows, inside.length) * (size.height + gap.y) - gap.y;
    for (const [at, { id }] of inside.entries()) {
      places.set(id, {
        x: x + Math.floor(at / rows) * (size.width + gap.x),
        y: (at % rows) * (size.height + gap.y) - height / 2,
      });
    }
    x += Math.ceil(inside.length / rows) * (size.width + gap.x) - gap.x + gap.column;
  }
  return places;
}

export type Direction = "left" | "right" | "up" | "down";

/** How much farther an asset seems that is to the side of the direction. */
const sideways = 3;

/** The nearest asset in a direction; undefined where there is none. */
export function nearest(
  places: ReadonlyMap<string, Point>,
  from: string,
  direction: Direction,
): string | undefined {
  const origin = places.get(from);
  if (origin === undefined) return undefined;
  let best: { id: string; distance: number } | undefined;
  for (const [id, { x, y }] of places) {
    const [dx, dy] = [x - origin.x, y - origin.y];
    const [ahead, aside] = { left: [-dx, dy], right: [dx, dy], up: [-dy, dx], down: [dy, dx] }[direction] as [
      number,
      number,
    ];
    if (ahead <= 0) continue;
    const distance = ahead + sideways * Math.abs(aside);
    if (best === undefined || distance < best.distance) best = { id, distance };
  }
  return best?.id;
}
