import { Background, Controls, type Edge, MarkerType, ReactFlow, useReactFlow } from "@xyflow/react";
import { type KeyboardEvent, useEffect, useMemo, useRef } from "react";
import { texts } from "../../../texts/texts.ts";
import { AssetNode, type DrawnNode, OnPress } from "./AssetNode.tsx";
import style from "./Graph.module.css";
import { type Direction, layoutOf, nearest, type Point, size } from "./layout.ts";
import type { LinkGraphState } from "./link-graph.ts";
import type { Walk } from "./useWalk.ts";

const words = texts.asset.graph;

const nodeTypes = { asset: AssetNode };

const directions: Record<string, Direction> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

/** Scale at which names can be read. */
const READABLE = 0.75;

/** Draws a graph of links; arrow keys lead to neighbours, Enter or a click reads the links of one. */
export function Canvas({ walk: { graph, go, press }, root }: { walk: Walk; root: string }) {
  const places = useMemo(() => layoutOf(graph.nodes.values()), [graph.nodes]);
  const nodes = useMemo(() => drawnNodes(graph, places, root), [graph, places, root]);
  const edges = useMemo(() => drawnEdges(graph), [graph]);
  const flow = useReactFlow();
  const canvas = useRef<HTMLDivElement>(null);
  const { current } = graph;
  const place = places.get(current);

  // The place of an asset moves when others are drawn before it.
  const [x, y] = [place?.x ?? 0, place?.y ?? 0];
  useEffect(() => {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const zoom = Math.max(READABLE, flow.getZoom());
    const middle = [x + size.width / 2, y + size.height / 2] as const;
    void flow.setCenter(...middle, { zoom, duration: calm ? 0 : 250 });
  }, [flow, x, y]);

  const onKeyDown = (event: KeyboardEvent) => {
    const direction = directions[event.key];
    if (direction !== undefined) {
      event.preventDefault();
      const next = nearest(places, current, direction);
      if (next === undefined) return;
      go(next);
      canvas.current?.querySelector<HTMLElement>(`[data-asset="${next}"]`)?.focus({ preventScroll: true });
    }
    if (event.key === "+" || event.key === "=") void flow.zoomIn();
    if (event.key === "-") void flow.zoomOut();
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons inside
    <div ref={canvas} className={style.canvas} onKeyDown={onKeyDown}>
      <OnPress value={press}>
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          preventScrolling={false}
          zoomOnScroll={false}
          minZoom={0.05}
          maxZoom={2}
          proOptions={{ hideAttribution: true }}
          aria-label={words.canvas}
        >
          <Background />
          <Controls showInteractive={false} aria-label={words.controls} />
        </ReactFlow>
      </OnPress>
    </div>
  );
}

function drawnNodes(graph: LinkGraphState, places: ReadonlyMap<string, Point>, root: string): DrawnNode[] {
  return Array.from(graph.nodes.values(), (node) => ({
    id: node.id,
    type: "asset",
    position: places.get(node.id) ?? { x: 0, y: 0 },
    ...size,
    data: { node, isCurrent: node.id === graph.current, isRoot: node.id === root },
  }));
}

/** Lines that would hide each other are drawn thin. */
const few = 24;

function drawnEdges(graph: LinkGraphState): Edge[] {
  const drawn = (color: string, strokeWidth: number) => ({
    style: { stroke: color, strokeWidth },
    markerEnd: { type: MarkerType.ArrowClosed, color },
  });
  const isDense = graph.edges.size > few;
  const ofCurrent = drawn("var(--accent)", isDense ? 1 : 2);
  const ofOthers = drawn("var(--line-strong)", isDense ? 0.5 : 1);
  return Array.from(graph.edges, ([id, { parent, child }]) => ({
    id,
    source: parent,
    target: child,
    ...(parent === graph.current || child === graph.current ? ofCurrent : ofOthers),
  }));
}
