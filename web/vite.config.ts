import { defaultClientConditions, defineConfig } from "vite";

/** The console as files of the API: under /console/, each with a hash of its contents in its name. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  resolve: { conditions: ["asset-registry-source", ...defaultClientConditions] },
  build: {
    assetsDir: "files",
    // Which file needs which, for the test of how much a first visit loads.
    manifest: true,
    // A data: URL would need a wider content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      onLog(level, log, handle) {
        // "use client" means something to servers that render React alone.
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") handle(level, log);
      },
    },
  },
  worker: { format: "es" },
});
