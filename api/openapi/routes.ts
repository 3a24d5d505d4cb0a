import { z } from "zod";
import { readRoute } from "../operation/define-route.ts";
import type { Route } from "../operation/route.ts";
import { createDocument } from "./document.ts";
import { page } from "./page-files.ts";

/** Serves the description of all operations, these included: once for programs and once for people. */
export function documentationRoutes(all: () => readonly Route[]) {
  let text: string | undefined;

  return [
    readRoute({
      method: "get",
      path: "/openapi.json",
      summary: "This API as an OpenAPI 3.1 document",
      access: "open",
      status: 200,
      textType: "application/json; charset=utf-8",
      answer: z.string(),
      errors: [],
      async handle() {
        text ??= JSON.stringify(createDocument(all()));
        return { value: text };
      },
    }),

    readRoute({
      method: "get",
      path: "/docs",
      summary: "The same document as a page to read, on which calls can be tried",
      access: "open",
      status: 200,
      textType: "text/html; charset=utf-8",
      answer: z.string(),
      errors: [],
      async handle() {
        return { value: page };
      },
    }),
  ];
}
