import { registry } from "../service/client.ts";
import { type Listing, useListing } from "../service/useListing.ts";
import { type Found, find } from "./find.ts";
import type { Ask } from "./understand.ts";

/** The assets of the chain that answer these questions. */
export const useFound = (asks: readonly Ask[]): Listing<Found> =>
  useListing(JSON.stringify(asks), (signal) => find(registry, asks, signal));
