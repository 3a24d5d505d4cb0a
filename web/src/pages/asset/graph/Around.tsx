import { Fragment } from "react";
import { ForeignText } from "../../../parts/ForeignText.tsx";
import { shortHex } from "../../../parts/HexValue.tsx";
import { texts } from "../../../texts/texts.ts";
import style from "./Graph.module.css";
import { around, type GraphNode } from "./link-graph.ts";
import type { Walk } from "./useWalk.ts";

const words = texts.asset.graph;

/** Assets of each direction that are listed. */
const most = 30;

type AroundProps = { walk: Walk; onPress(id: string): void };

/** In words what the graph draws around the asset that people have walked to. */
export function Around({ walk: { graph }, onPress }: AroundProps) {
  const { to, from } = around(graph, graph.current);
  const directions = [
    [words.pointsTo, to],
    [words.pointedToBy, from],
  ] as const;
  return (
    <dl className={style.around}>
      {directions.map(([name, nodes]) => (
        <Fragment key={name}>
          {nodes.length > 0 && (
            <div>
              <dt>{name}</dt>
              <dd>
                <ul className={style.names}>
                  {nodes.slice(0, most).map((node) => (
                    <li key={node.id}>
                      <button type="button" className={style.walk} onClick={() => onPress(node.id)}>
                        <NodeName node={node} />
                      </button>
                    </li>
                  ))}
                  {nodes.length > most && <li>{words.andMore(nodes.length - most)}</li>}
                </ul>
              </dd>
            </div>
          )}
        </Fragment>
      ))}
    </dl>
  );
}

/** The name of an asset in the graph, or its id where it has none. */
export function NodeName({ node: { id, name } }: { node: GraphNode }) {
  if (name === undefined || name.trim() === "") return <code>{shortHex(id)}</code>;
  return <ForeignText text={name} most={80} brief />;
}
