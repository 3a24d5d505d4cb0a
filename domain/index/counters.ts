/** Everything that the indexer counts, and what it means. Names as Prometheus has them. */
export const counterMeanings = {
  reorg_total: "Reorgs that were followed",
  deep_reorg_total: "Reorgs that removed blocks which counted as final",
  halt_total: "Times that the writing was stopped for a reason that does not pass by itself",
  trouble_total: "Failed looks at the chain or the pool of transactions, by reason; each is tried again",
  rpc_failure_total: "Calls that a node failed, by reason",
  provider_switch_total: "Times that calls moved on to another RPC URL",
  head_behind_total: "Times that a node began to name an older head than before",
  socket_lost_total: "Times that a WebSocket of a node broke or went quiet",
  undecoded_total: "Logs of the registry that were set aside because they cannot be read",
} as const;

export type CounterName = keyof typeof counterMeanings;

/** A counter, and why it was counted where it tells reasons apart. */
export type Counted = { name: string; reason: string | undefined };

/** The one text of both, as it is stored: `name` or `name{reason="…"}`. */
export function counterKey(name: CounterName, reason: string | undefined): string {
  return reason === undefined ? name : `${name}{reason="${reason}"}`;
}

/** The same read again; undefined for what is no such text. */
export function parseCounterKey(key: string): Counted | undefined {
  const [, name, reason] = /^(\w+)(?:\{reason="(.*)"\})?$/.exec(key) ?? [];
  return name === undefined ? undefined : { name, reason };
}
