import type { Hex } from "viem";
import type { Scenario } from "./laps.ts";
import type { Reader, Way } from "./plan.ts";

export type Tenant = { tenant: string; key: string };

/** Pollers beside the readers of each scenario, of as many tenants: how many of each, and their milliseconds. */
const polls = { each: 5, every: [250, 1_000] };

export const tenantOf = (nth: number): Tenant => ({
  tenant: `tenant-${nth}`,
  key: `key-for-measuring-events-${String(nth).padStart(4, "0")}`,
});

const tenants = (count: number): Tenant[] => Array.from({ length: count }, (_, nth) => tenantOf(nth));

const ofTenant = (way: Way, nth: number, kinds = ["request"]): Reader => ({ way, ...tenantOf(nth), kinds });

/** Pollers of the first tenants. */
const pollers = (count: number, kinds?: string[]): Reader[] =>
  polls.every.flatMap((pollMs) =>
    Array.from({ length: polls.each }, (_, nth) => ofTenant({ pollMs }, nth % count, kinds)),
  );

/** Nine of ten streams follow the requests of their tenants, the tenth an asset that is final already. */
const streams = (count: number, final: readonly Hex[]): Reader[] =>
  Array.from({ length: count }, (_, nth) => {
    const assetId = nth % 10 === 9 ? final[nth % final.length] : undefined;
    const reader = ofTenant("stream", nth);
    return assetId === undefined ? reader : { ...reader, kinds: ["request", "asset"], assetId };
  });

/** Streams of tenants that request nothing: the last of all. */
export const idleStreams = (count: number, of: number, kinds?: string[]): Reader[] =>
  Array.from({ length: count }, (_, nth) => ofTenant("stream", of - 1 - nth, kinds));

export type Counts = { streams: readonly number[]; webhooks: number };

/** How many tenants there must be. */
export const tenantsOf = ({ streams, webhooks }: Counts): number =>
  Math.max(1, webhooks, ...streams) + Math.max(...streams);

/** The readers of each lap. @param final assets of a lap before */
export function scenariosOf({ streams: counts, webhooks }: Counts, final: readonly Hex[]): Scenario[] {
  const everything = ["request", "asset", "link"];
  const all = Math.min(100, Math.max(...counts));
  return [
    { name: "pollers alone", readers: pollers(1), tenants: tenants(1) },
    ...counts.map((count) => ({
      name: `${count.toLocaleString("en")} ${count === 1 ? "stream" : "streams"}`,
      readers: [...streams(count, final), ...pollers(count)],
      tenants: tenants(count),
    })),
    {
      name: `${all} ${all === 1 ? "stream" : "streams"}, each of everything`,
      readers: [
        ...Array.from({ length: all }, () => ofTenant("stream", 0, everything)),
        ...pollers(1, everything),
      ],
      tenants: tenants(1),
    },
    {
      name: `${webhooks} ${webhooks === 1 ? "webhook" : "webhooks"}`,
      readers: [
        ...Array.from({ length: webhooks }, (_, nth) => ofTenant("webhook", nth, ["request.Confirmed"])),
        ...pollers(webhooks),
      ],
      tenants: tenants(webhooks),
    },
  ];
}
