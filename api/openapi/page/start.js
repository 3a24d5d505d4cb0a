// The page may stand behind a path prefix that only the browser knows, so every URL is relative to its own.
const isFolder = window.location.pathname.endsWith("/");
const url = new URL(isFolder ? "../openapi.json" : "openapi.json", window.location.href);
const service = new URL(".", url).href.slice(0, -1);

const response = await fetch(url);
const spec = { ...(await response.json()), servers: [{ url: service }] };

window.SwaggerUIBundle({ spec, dom_id: "#swagger-ui", deepLinking: true, validatorUrl: null });
