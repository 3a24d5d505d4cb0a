import { Background, Controls, ReactFlow, useReactFlow } from "@xyflow/react";
import { type KeyboardEvent, useEffect, useMemo, useRef } from "react";
import { texts } from "../../../texts/texts.ts";
import { AssetNode, OnPress } from "./AssetNode.tsx";
import { drawnEdges, drawnNodes, isOf, linesFor, withCurrent } from "./drawn.ts";
import style from "./Graph.module.css";
import { type Direction, layoutOf, nearest, size } from "./layout.ts";
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
  const { current } = graph;
  // What stays the same object is not drawn again: a step changes few of a thousand.
  const allNodes = useMemo(() => drawnNodes(graph.nodes, places, root), [graph.nodes, places, root]);
  const nodes = useMemo(() => allNodes.map((node) => withCurrent(node, current)), [allNodes, current]);
  const lines = useMemo(() => linesFor(graph.edges.size), [graph.edges.size]);
  const allEdges = useMemo(() => drawnEdges(graph.edges, lines), [graph.edges, lines]);
  const edges = useMemo(
    () => allEdges.map((edge) => (isOf(edge, current) ? { ...edge, ...lines.ofCurrent } : edge)),
    [allEdges, current, lines],
  );
  const flow = useReactFlow();
  const canvas = useRef<HTMLDivElement>(null);
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
