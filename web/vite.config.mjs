import { defineConfig } from 'vite';

/**
 * `npm run page` serves the page during development; its data come from the server at this address.
 */
const SERVER = process.env.COUNTERGRAPH_URL ?? 'http://127.0.0.1:4000';

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that a proxy can serve the page under any path.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  server: { proxy: { '/graphql': SERVER } },
  build: {
    outDir: '../dist/web',
    // Browser versions at least a year old; older ones lack light-dark(), which the styles use.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // The page allows neither styles and scripts of other origins nor data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Standard error says what was built, and nothing about how fast the machine is.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
