/** Counters of the indexer and their Prometheus help texts. */
export const counterMeanings = {
  reorg_total: "Reorgs handled",
  deep_reorg_total: "Reorgs that removed final blocks",
  halt_total: "Times that indexing halted for a reason that needs an operator",
  trouble_total: "Failed indexer passes, by reason; each is retried",
  rpc_failure_total: "Failed JSON-RPC calls, by reason",
  provider_switch_total: "Failovers to another RPC URL",
  head_behind_total: "Times that a node reported an older head than before",
  socket_lost_total: "WebSocket connections to a node that were lost or timed out",
  undecoded_total: "Registry logs set aside because they cannot be decoded",
} as const;

export type CounterName = keyof typeof counterMeanings;

/** A counter with its label `reason`, where it has one. */
export type Counted = { name: string; reason: string | undefined };

/** The key under which a counter is stored: `name` or `name{reason="…"}`. */
export function counterKey(name: CounterName, reason: string | undefined): string {
  return reason === undefined ? name : `${name}{reason="${reason}"}`;
}

/** Parses a key of `counterKey`; undefined for any other text. */
export function parseCounterKey(key: string): Counted | undefined {
  const [, name, reason] = /^(\w+)(?:\{reason="(.*)"\})?$/.exec(key) ?? [];
  return name === undefined ? undefined : { name, reason };
}
