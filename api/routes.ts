import { assetRoutes } from "./assets/routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { inboxRoutes } from "./inbox/routes.ts";
import { linkRoutes } from "./links/routes.ts";
import { documentationRoutes } from "./openapi/routes.ts";
import type { Route } from "./operation/route.ts";
import { proofRoutes } from "./proofs/routes.ts";
import { publicRoutes } from "./public/routes.ts";
import { serviceRoutes } from "./service/routes.ts";
import { transactionRoutes } from "./transactions/routes.ts";
import { walletRoutes } from "./wallets/routes.ts";
import { deliveryRoutes } from "./webhooks/delivery-routes.ts";
import { webhookRoutes } from "./webhooks/routes.ts";

/** Every operation of the API. The table in docs/api.md is compared with this list by a test. */
export const allRoutes: readonly Route[] = [
  ...assetRoutes,
  ...linkRoutes,
  ...publicRoutes,
  ...proofRoutes,
  ...inboxRoutes,
  ...transactionRoutes,
  ...walletRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...deliveryRoutes,
  ...serviceRoutes,
  ...documentationRoutes(() => allRoutes),
];
