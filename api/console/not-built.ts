/** The page in the place of a console that has not been built; for people, and without anything to load. */
export const notBuiltPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>The console is missing</title>
  </head>
  <body>
    <h1>The console of this service is missing</h1>
    <p>Nothing is lost: what waits for a signature still waits. Come back with the same link when the console is there.</p>
    <p>Whoever runs the service: build it by <code>npm run build</code> in the service's folder, and load this page
    again. The API works without it.</p>
  </body>
</html>
`;
