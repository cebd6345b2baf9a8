import { defineConfig } from 'vite';

/** `npm run page` serves the page while it is worked on; data come from the server at this address. */
const SERVER = process.env.COUNTERGRAPH_URL ?? 'http://127.0.0.1:4000';

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that a proxy may put the page anywhere.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  server: { proxy: { '/graphql': SERVER } },
  build: {
    outDir: '../dist/web',
    // What every browser has had for a year; older ones lack light-dark() of the styles.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // Styles and scripts of other origins are not let in, data: addresses neither.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
