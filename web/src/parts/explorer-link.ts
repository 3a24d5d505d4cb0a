/** The page of a block explorer for an account or a transaction; undefined where the operator names no explorer. */
export function explorerLink(
  explorerUrl: string | null,
  kind: "address" | "tx",
  value: string,
): string | undefined {
  return explorerUrl === null ? undefined : `${explorerUrl.replace(/\/$/, "")}/${kind}/${value}`;
}
