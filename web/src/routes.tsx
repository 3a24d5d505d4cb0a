import { createBrowserRouter } from "react-router";
import { NotFoundPage } from "./pages/not-found/NotFoundPage.tsx";
import { Failure } from "./shell/Failure.tsx";
import { Frame } from "./shell/Frame.tsx";
import { keepOwnPolicy } from "./shell/own-policy.ts";

/** Every page of the console; the code of each is loaded when it is first opened. */
export const router = createBrowserRouter(
  [
    {
      Component: Frame,
      ErrorBoundary: Failure,
      middleware: [keepOwnPolicy],
      HydrateFallback: () => null,
      children: [
        {
          ErrorBoundary: Failure,
          children: [
            {
              index: true,
              lazy: async () => ({ Component: (await import("./pages/home/HomePage.tsx")).HomePage }),
            },
            {
              path: "sign/:transactionId",
              lazy: async () => ({ Component: (await import("./pages/sign/SignPage.tsx")).SignPage }),
            },
            {
              path: "assets/:assetId",
              lazy: async () => ({ Component: (await import("./pages/asset/AssetPage.tsx")).AssetPage }),
            },
            {
              path: "assets/:assetId/certificate",
              lazy: async () => ({
                Component: (await import("./pages/certificate/CertificatePage.tsx")).CertificatePage,
              }),
            },
            {
              path: "verify",
              lazy: async () => ({ Component: (await import("./pages/verify/VerifyPage.tsx")).VerifyPage }),
            },
            {
              path: "register",
              lazy: async () => ({
                Component: (await import("./pages/register/RegisterPage.tsx")).RegisterPage,
              }),
            },
            {
              path: "inbox",
              lazy: async () => ({ Component: (await import("./pages/inbox/InboxPage.tsx")).InboxPage }),
            },
            {
              path: "wallets",
              lazy: async () => ({
                Component: (await import("./pages/wallets/WalletsPage.tsx")).WalletsPage,
              }),
            },
            {
              path: "signed-in",
              lazy: async () => ({
                Component: (await import("./pages/signed-in/SignedInPage.tsx")).SignedInPage,
              }),
            },
            { path: "*", Component: NotFoundPage },
          ],
        },
      ],
    },
  ],
  { basename: "/console" },
);
