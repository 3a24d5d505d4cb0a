/** Counters of JSON-RPC calls, by the names of the metrics. */
export type RpcMetrics = {
  count(
    name: "rpc_failure_total" | "provider_switch_total" | "socket_lost_total",
    reason?: string | undefined,
  ): void;
};
