import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { createContext, useContext } from "react";
import { ForeignText } from "../../../parts/ForeignText.tsx";
import { shortHex } from "../../../parts/HexValue.tsx";
import { texts } from "../../../texts/texts.ts";
import style from "./Graph.module.css";
import type { GraphNode } from "./link-graph.ts";

const words = texts.asset.graph;

export type DrawnNode = Node<{ node: GraphNode; isCurrent: boolean; isRoot: boolean }, "asset">;

/** What pressing an asset in the graph does. */
export const OnPress = createContext<(id: string) => void>(() => {});

/** An asset in the graph: a button that walks to it. Only the current one is reached by the tab key, others by arrows. */
export function AssetNode({ data: { node, isCurrent, isRoot } }: NodeProps<DrawnNode>) {
  const onPress = useContext(OnPress);
  const { id, name, links } = node;
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} className={style.handle} />
      <button
        type="button"
        data-asset={id}
        tabIndex={isCurrent ? 0 : -1}
        className={`${style.node} ${isCurrent ? style.current : ""} ${isRoot ? style.root : ""} nopan`}
        aria-current={isCurrent ? "true" : undefined}
        onClick={() => onPress(id)}
      >
        <span className={style.name}>
          {name === undefined ? (
            <code>{shortHex(id)}</code>
          ) : name.trim() === "" ? (
            texts.asset.unnamed
          ) : (
            <ForeignText text={name} most={48} brief />
          )}
        </span>
        <span className={style.under}>
          {name !== undefined && <code>{shortHex(id)}</code>} {words.links[links]}
        </span>
      </button>
      <Handle type="source" position={Position.Right} isConnectable={false} className={style.handle} />
    </>
  );
}
