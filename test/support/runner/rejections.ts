// Mocha passes a rejection that nobody handles on to other listeners alone, so without one it would be no failure.
process.on("unhandledRejection", (reason) => {
  throw reason;
});

export {};
