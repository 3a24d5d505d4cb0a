import type { PublicLink, PublicLinks } from "asset-registry-client";

/** A link with its direction, seen from the asset whose links are read. */
export type LinkRow = PublicLink & { direction: "to" | "from" };

/** The links of all pages: those that stand by direction, in the order of linking, and the revoked ones, newest first. */
export function linkRows(pages: readonly PublicLinks[]): Record<"to" | "from" | "revoked", LinkRow[]> {
  const rows = pages.flatMap(({ to, from }): LinkRow[] => [
    ...to.map((link) => ({ ...link, direction: "to" as const })),
    ...from.map((link) => ({ ...link, direction: "from" as const })),
  ]);
  const standing = rows.filter(({ revokedOn }) => revokedOn === undefined);
  return {
    to: standing.filter(({ direction }) => direction === "to"),
    from: standing.filter(({ direction }) => direction === "from"),
    revoked: rows
      .filter(({ revokedOn }) => revokedOn !== undefined)
      .sort((one, other) => (other.revokedOn ?? "").localeCompare(one.revokedOn ?? "")),
  };
}

/** Whether a page of links has less of each direction than it could, so that none follows. */
export const isLastPage = ({ to, from }: PublicLinks, size: number): boolean =>
  to.length < size && from.length < size;
