import { type MiddlewareFunction, redirectDocument } from "react-router";

/** Whether the document of a path may call nodes of the visitor's choice, as the service's policy allows to one page. */
const mayCallNodes = (path: string): boolean => /^\/console\/verify(?:\/|$)/.test(path);

/** A document keeps the policy that it was loaded with. */
const opened = mayCallNodes(location.pathname);

/** Loads the document anew where a page has another policy, however people get there. */
export const keepOwnPolicy: MiddlewareFunction = ({ request }, next) => {
  if (mayCallNodes(new URL(request.url).pathname) !== opened) throw redirectDocument(request.url);
  return next();
};
