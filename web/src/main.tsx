import "./look/tokens.css";
import "./look/base.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { RouterProvider } from "react-router/dom";
import { router } from "./routes.tsx";
import { queries } from "./service/queries.ts";
import { applyTheme, savedTheme } from "./shell/theme.ts";

applyTheme(savedTheme());

const place = document.getElementById("console");
if (place === null) throw new Error("index.html has no element with the id console.");
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
