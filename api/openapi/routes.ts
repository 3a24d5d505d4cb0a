import { z } from "zod";
import { type Route, route } from "../operation/route.ts";
import { createDocument } from "./document.ts";
import { renderPage } from "./page.ts";

/** The description of all operations, these included: once for programs and once for people. */
export function documentationRoutes(all: () => readonly Route[]) {
  const once = <Value>(make: () => Value) => {
    let made: Value | undefined;
    return () => {
      made ??= make();
      return made;
    };
  };
  const document = once(() => createDocument(all()));
  const text = once(() => JSON.stringify(document()));
  const page = once(() => renderPage(document()));

  return [
    route({
      method: "get",
      path: "/openapi.json",
      summary: "This API as an OpenAPI 3.1 document",
      access: "open",
      status: 200,
      textType: "application/json; charset=utf-8",
      answer: z.string(),
      errors: [],
      async handle() {
        return { value: text() };
      },
    }),

    route({
      method: "get",
      path: "/docs",
      summary: "The same document as a page to read",
      access: "open",
      status: 200,
      textType: "text/html; charset=utf-8",
      answer: z.string(),
      errors: [],
      async handle() {
        return { value: page() };
      },
    }),
  ];
}
