import "@xyflow/react/dist/style.css";
import { ReactFlowProvider } from "@xyflow/react";
import type { PublicAsset } from "asset-registry-client";
import { Link } from "react-router";
import { Button } from "../../../parts/Button.tsx";
import { Notice } from "../../../parts/Notice.tsx";
import { problemInWords } from "../../../service/problem-words.ts";
import { texts } from "../../../texts/texts.ts";
import { Around, NodeName } from "./Around.tsx";
import { Canvas } from "./Canvas.tsx";
import style from "./Graph.module.css";
import { mostNodes } from "./link-graph.ts";
import { useWalk, type Walk } from "./useWalk.ts";

const words = texts.asset.graph;

/** The links that stand around an asset as a graph that people walk: pressing an asset reads the links of it. */
export function LinkGraph({ asset }: { asset: PublicAsset }) {
  const walk = useWalk(asset);
  return (
    <section className={style.graph} aria-label={words.title}>
      <p className={style.help} id="graph-help">
        {words.help}
      </p>
      <ReactFlowProvider>
        <Canvas walk={walk} root={asset.id} />
      </ReactFlowProvider>
      <Current walk={walk} root={asset.id} />
      {walk.graph.current !== asset.id && <Around walk={walk} onPress={walk.press} />}
      {walk.error !== undefined && (
        <div role="alert">
          <Notice tone="warn">{problemInWords(walk.error)}</Notice>
        </div>
      )}
    </section>
  );
}

/** What can be done with the asset that people are at. */
function Current({ walk: { graph, read }, root }: { walk: Walk; root: string }) {
  const node = graph.nodes.get(graph.current);
  if (node === undefined) return null;
  const { id, links } = node;
  const isFull = graph.nodes.size >= mostNodes;
  return (
    <div className={style.details}>
      <span aria-live="polite">
        <NodeName node={node} />
      </span>
      {id !== root && <Link to={`/assets/${id}`}>{words.open}</Link>}
      {links === "some" && !isFull && <Button onPress={() => read(id)}>{words.more}</Button>}
      {links === "all" && <span>{words.all}</span>}
      {isFull && <span>{words.full(mostNodes)}</span>}
      <span>{words.drawn(graph.nodes.size)}</span>
    </div>
  );
}
