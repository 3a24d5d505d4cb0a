import type { PublicLinks } from "asset-registry-client";
import type { Names } from "../links/neighbours.ts";

/** An asset in the graph; `column` is its place on the way of the links, from parents on the left to children. */
export type GraphNode = {
  id: string;
  column: number;
  name: string | undefined;
  /** Whether its links were read: none, some of them, or all. */
  links: "unread" | "reading" | "some" | "all";
};

/** A part of the graph of links that stand, as far as it was walked. */
export type LinkGraphState = {
  nodes: ReadonlyMap<string, GraphNode>;
  /** By the ids of both ends with a space between. */
  edges: ReadonlyMap<string, { parent: string; child: string }>;
  /** The asset whose details are shown. */
  current: string;
};

/** Most assets that are drawn. */
export const mostNodes = 1_000;

export const graphOf = (id: string, name: string): LinkGraphState => ({
  nodes: new Map([[id, { id, column: 0, name, links: "unread" }]]),
  edges: new Map(),
  current: id,
});

export type GraphChange =
  | { kind: "go"; id: string }
  | { kind: "reading"; id: string }
  | { kind: "failed"; id: string }
  | { kind: "read"; id: string; links: PublicLinks; names: Names; isAll: boolean };

/** The graph after a change of it. */
export function changed(graph: LinkGraphState, change: GraphChange): LinkGraphState {
  const node = graph.nodes.get(change.id);
  if (node === undefined) return graph;
  switch (change.kind) {
    case "go":
      return { ...graph, current: change.id };
    case "reading":
      return withNode(graph, { ...node, links: "reading" });
    case "failed":
      return withNode(graph, { ...node, links: "some" });
    case "read":
      return withLinks(graph, node, change);
  }
}

const withNode = (graph: LinkGraphState, node: GraphNode): LinkGraphState => ({
  ...graph,
  nodes: new Map(graph.nodes).set(node.id, node),
});

function withLinks(
  graph: LinkGraphState,
  node: GraphNode,
  { links, names, isAll }: Extract<GraphChange, { kind: "read" }>,
): LinkGraphState {
  const nodes = new Map(graph.nodes).set(node.id, { ...node, links: isAll ? "all" : "some" });
  const edges = new Map(graph.edges);
  const add = (id: string, column: number): boolean => {
    if (nodes.has(id)) return true;
    if (nodes.size >= mostNodes) return false;
    nodes.set(id, { id, column, name: names.get(id), links: "unread" });
    return true;
  };
  const join = (parent: string, child: string) => edges.set(`${parent} ${child}`, { parent, child });
  for (const { id, revokedOn } of links.to) {
    if (revokedOn === undefined && add(id, node.column + 1)) join(node.id, id);
  }
  for (const { id, revokedOn } of links.from) {
    if (revokedOn === undefined && add(id, node.column - 1)) join(id, node.id);
  }
  return { ...graph, nodes, edges };
}

/** The assets of the graph that one points to, and those that point to it, in the order of their links. */
export function around({ nodes, edges }: LinkGraphState, id: string): Record<"to" | "from", GraphNode[]> {
  const found: Record<"to" | "from", GraphNode[]> = { to: [], from: [] };
  for (const { parent, child } of edges.values()) {
    const [to, from] = [
      parent === id ? nodes.get(child) : undefined,
      child === id ? nodes.get(parent) : undefined,
    ];
    if (to !== undefined) found.to.push(to);
    if (from !== undefined) found.from.push(from);
  }
  return found;
}
