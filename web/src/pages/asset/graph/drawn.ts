import { type Edge, MarkerType } from "@xyflow/react";
import type { DrawnNode } from "./AssetNode.tsx";
import { type Point, size } from "./layout.ts";
import type { LinkGraphState } from "./link-graph.ts";

/** Assets as the library draws them, none of them the current one. */
export function drawnNodes(
  nodes: LinkGraphState["nodes"],
  places: ReadonlyMap<string, Point>,
  root: string,
): DrawnNode[] {
  return Array.from(nodes.values(), (node) => ({
    id: node.id,
    type: "asset",
    position: places.get(node.id) ?? { x: 0, y: 0 },
    ...size,
    data: { node, isCurrent: false, isRoot: node.id === root },
  }));
}

export const withCurrent = (node: DrawnNode, current: string): DrawnNode =>
  node.id === current ? { ...node, data: { ...node.data, isCurrent: true } } : node;

/** Lines that would hide each other are drawn thin. */
const few = 24;

/** How links are drawn, where there are so many. */
export function linesFor(count: number) {
  const drawn = (color: string, strokeWidth: number) => ({
    style: { stroke: color, strokeWidth },
    markerEnd: { type: MarkerType.ArrowClosed, color },
  });
  const isDense = count > few;
  return {
    ofCurrent: drawn("var(--accent)", isDense ? 1 : 2),
    ofOthers: drawn("var(--line-strong)", isDense ? 0.5 : 1),
  };
}

export const drawnEdges = (
  edges: LinkGraphState["edges"],
  { ofOthers }: ReturnType<typeof linesFor>,
): Edge[] =>
  Array.from(edges, ([id, { parent, child }]) => ({ id, source: parent, target: child, ...ofOthers }));

export const isOf = ({ source, target }: Edge, id: string): boolean => source === id || target === id;
