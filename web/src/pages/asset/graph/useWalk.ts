import { useQueryClient } from "@tanstack/react-query";
import type { PublicAsset, PublicLinks } from "asset-registry-client";
import { useCallback, useEffect, useReducer, useRef, useState } from "react";
import { registry } from "../../../service/client.ts";
import { isLastPage } from "../links/link-rows.ts";
import { namesQuery } from "../links/useNames.ts";
import { changed, graphOf, type LinkGraphState } from "./link-graph.ts";

/** Links of each direction that a step reads. */
const SIZE = 100;

/** A graph of links, and how to walk it. */
export type Walk = {
  graph: LinkGraphState;
  /** Why the last step failed. */
  error: unknown;
  /** Goes to an asset without reading anything. */
  go(id: string): void;
  /** Goes to an asset, and reads its links where that was not done. */
  press(id: string): void;
  /** Reads the links of an asset, and with each further call more of them. */
  read(id: string): void;
};

/** Begins at an asset, and reads the links of others as people get to them. */
export function useWalk(asset: PublicAsset): Walk {
  const queries = useQueryClient();
  const [graph, change] = useReducer(changed, undefined, () => graphOf(asset.id, asset.name));
  const [error, setError] = useState<unknown>();
  const pages = useRef(new Map<string, AsyncIterator<PublicLinks>>());

  const read = useCallback(
    async (id: string) => {
      const page = pages.current.get(id) ?? registry.publicLinkPages(id, { size: SIZE });
      pages.current.set(id, page);
      change({ kind: "reading", id });
      setError(undefined);
      try {
        const names = queries.fetchQuery(namesQuery(id)).catch(() => new Map<string, string>());
        const next = await page.next();
        const links = next.done ? { to: [], from: [] } : next.value;
        const isAll = isLastPage(links, SIZE);
        change({ kind: "read", id, links, names: await names, isAll });
      } catch (error) {
        // The next try begins anew.
        pages.current.delete(id);
        change({ kind: "failed", id });
        setError(error);
      }
    },
    [queries],
  );
  const go = useCallback((id: string) => change({ kind: "go", id }), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once, at the beginning
  useEffect(() => {
    pages.current.clear();
    void read(asset.id);
  }, []);
  const press = useCallback(
    (id: string) => {
      change({ kind: "go", id });
      if (!pages.current.has(id)) void read(id);
    },
    [read],
  );
  return { graph, error, go, press, read: (id) => void read(id) };
}
