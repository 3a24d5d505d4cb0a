import type { Route } from "../route.ts";
import { assetRoutes } from "./assets.ts";
import { documentationRoutes } from "./documentation.ts";
import { inboxRoutes } from "./inbox.ts";
import { linkRoutes } from "./links.ts";
import { serviceRoutes } from "./service.ts";
import { transactionRoutes } from "./transactions.ts";
import { walletRoutes } from "./wallets.ts";

/** Every operation of the API. README's table of endpoints is compared with this list by a test. */
export const allRoutes: readonly Route[] = [
  ...assetRoutes,
  ...linkRoutes,
  ...inboxRoutes,
  ...transactionRoutes,
  ...walletRoutes,
  ...serviceRoutes,
  ...documentationRoutes(() => allRoutes),
];
