import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { readPage } from '../../server/pages/dashboard.ts';
import { readSettings } from '../../server/settings/settings.ts';
import { type RunningServer, startServer } from '../../server/start-server.ts';
import { createLog } from '../../server/telemetry/log.ts';
import { ask, DEMO, NO_DATABASE, startExplorerServer } from '../explorer/explorer-server.ts';

const HTML = { accept: 'text/html,*/*;q=0.8' };

let server: RunningServer;
let html: string;
let assets: string[];

beforeAll(async () => {
  server = await startExplorerServer(NO_DATABASE, { credentials: null });
  html = String((await ask(`${server.url}/`, { headers: HTML })).body);
  assets = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, path = '']) => path);
});

afterAll(() => server?.close());

describe('the page at /', () => {
  it('loads nothing but what is served beside it', () => {
    const kinds = new Set(assets.map((path) => path.split('.').at(-1)));
    expect([...kinds].sort()).toEqual(['css', 'js', 'svg']);
    expect(html).not.toMatch(/https?:\/\/|<style|\sstyle=|\son\w+=/);
    const scripts = [...html.matchAll(/<script([^>]*)>/g)].map(([, attributes = '']) => attributes);
    expect(scripts.filter((attributes) => !/ src="\.\//.test(attributes))).toEqual([]);
  });

  it('may run only scripts and styles that are files of its own', async () => {
    const { headers } = await ask(`${server.url}/?context=demo`, { headers: HTML });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cross-origin-opener-policy']).toBe('same-origin');
  });

  it('is revalidated each time, and sent only if it changed', async () => {
    const { headers } = await ask(`${server.url}/`);
    expect(headers['cache-control']).toBe('private, no-cache');
    const again = await ask(`${server.url}/`, {
      headers: { 'if-none-match': String(headers.etag) },
    });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  it('answers HEAD as GET without the body, and no other method', async () => {
    const head = await ask(`${server.url}/`, { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect((await ask(`${server.url}/assets/x.js`, { method: 'POST' })).status).toBe(404);
  });

  it("offers the demo's user on the demo, whatever characters its name has", async () => {
    expect(html).toContain('name="countergraph-demo" content=""');
    const credentials = { username: '"><script>', token: '$&' };
    for (const [explorer, expected] of [
      [DEMO, DEMO.credentials],
      [{ credentials }, credentials],
    ] as const) {
      const demo = await startExplorerServer(NO_DATABASE, explorer);
      try {
        const page = String((await ask(`${demo.url}/`)).body);
        const [, content = ''] = /name="countergraph-demo" content="([^"]*)"/.exec(page) ?? [];
        const text = content.replaceAll('&lt;', '<').replaceAll('&quot;', '"');
        expect(JSON.parse(text.replaceAll('&amp;', '&'))).toEqual(expected);
        expect(page).not.toContain('"><script>');
      } finally {
        await demo.close();
      }
    }
  });
});

it('the page knows how commands are typed where the server runs, and what it takes', () => {
  // The tests run in a checkout.
  expect(html).toContain('<meta name="countergraph-command" content="npx countergraph">');
  expect(html).toContain('<meta name="countergraph-upload-mb" content="1024">');
  expect(html).toContain('<meta name="countergraph-explorer" content="on">');
});

it('the page knows that there is no explorer, and the explorer that there is no page', async () => {
  const off = { COUNTERGRAPH_EXPLORER: 'off' };
  const noExplorer = await startExplorerServer(NO_DATABASE, { credentials: null }, off);
  const alone = { COUNTERGRAPH_DASHBOARD: 'off' };
  const noPage = await startExplorerServer(NO_DATABASE, { credentials: null }, alone);
  try {
    expect(String((await ask(`${noExplorer.url}/`)).body)).toContain(
      '<meta name="countergraph-explorer" content="off">',
    );
    const explorerOf = async ({ url }: RunningServer) =>
      String((await ask(`${url}/graphql`, { headers: HTML })).body);
    expect(await explorerOf(server)).toContain('<a href="./">Dashboard</a>');
    expect(await explorerOf(noPage)).not.toContain('Dashboard</a>');
  } finally {
    await noExplorer.close();
    await noPage.close();
  }
});

describe('what the page loads', () => {
  it.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['identity', undefined, (body: Buffer) => body],
  ])('comes for "accept-encoding: %s" as %s', async (accepted, encoding, unpack) => {
    for (const path of assets) {
      const plain = await ask(`${server.url}/${path}`);
      const packed = await ask(`${server.url}/${path}`, {
        headers: { 'accept-encoding': accepted },
      });
      expect(packed.headers['content-encoding']).toBe(encoding);
      expect(packed.headers.vary).toBe('Accept-Encoding');
      expect(unpack(packed.body).equals(plain.body)).toBe(true);
    }
  });

  it('is cached for good under its name, and not sent again', async () => {
    for (const path of assets) {
      const { headers } = await ask(`${server.url}/${path}`);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      const again = await ask(`${server.url}/${path}`, {
        headers: { 'if-none-match': String(headers.etag) },
      });
      expect([again.status, again.body.length]).toEqual([304, 0]);
    }
  });

  it.each([
    '/assets/',
    '/assets/nothing.js',
    '/help/nothing.json',
    '/assets/../index.html',
    '/index.html',
    '/documents.json',
  ])('does not include %s', async (path) => {
    const { status, body } = await ask(server.url + path, { headers: HTML });
    expect(status).toBe(404);
    expect(JSON.parse(String(body))).toMatchObject({ status: 'ERROR' });
  });

  it('includes the help and its pictures, which are kept by their names', async () => {
    const [, name = ''] = /name="countergraph-help" content="([^"]+)"/.exec(html) ?? [];
    const { status, headers, body } = await ask(`${server.url}/help/${name}`);
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(headers['cache-control']).toContain('immutable');
    const pages: { path: string; sections: { html: string }[] }[] = JSON.parse(String(body));
    const paths = pages.map(({ path }) => path);
    expect(paths).toContain('how-to/use-the-dashboard.md');
    const texts = pages.flatMap(({ sections }) => sections.map((section) => section.html));
    // Every link leads to a page of the help or to another site.
    const links = texts.flatMap((text) => [...text.matchAll(/ href="([^"]*)"/g)]);
    const places = links.map(([, href = '']) => href).filter((href) => !/^https?:/.test(href));
    const reached = new Set(places.map((href) => /^#help=([^:]+)/.exec(href)?.[1]));
    expect([...reached].filter((path) => !paths.includes(path ?? ''))).toEqual([]);
    const pictures = texts.flatMap((text) => [...text.matchAll(/ src="\.(\/help\/[^"]+)"/g)]);
    for (const [, path = ''] of pictures) {
      expect((await ask(`${server.url}${path}`)).headers['content-type']).toBe('image/png');
    }
  });

  it('is under 136 kB compressed, half as much again as in 1.5.3', async () => {
    const folder = join(projectRoot(), 'dist', 'web');
    const sizes = await Promise.all(
      assets.map(async (path) => (await stat(join(folder, `${path}.gz`))).size),
    );
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(20_000);
    expect(total).toBeLessThan(136_000);
  });
});

describe('without the page', () => {
  it('COUNTERGRAPH_DASHBOARD=off redirects to the explorer', async () => {
    const off = await startServer({
      settings: readSettings({ PORT: '0', COUNTERGRAPH_DASHBOARD: 'off' }),
      databaseUrl: NO_DATABASE,
      log: createLog('silent', process.stderr),
      explorer: { credentials: null },
      merging: { delays: null },
    });
    try {
      const { status, headers } = await ask(`${off.url}/`);
      expect([status, headers.location]).toEqual([302, '/graphql']);
      const [asset = ''] = assets;
      expect((await ask(`${off.url}/${asset}`)).status).toBe(404);
    } finally {
      await off.close();
    }
  });

  it('a checkout without a build has none', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'countergraph-no-page-'));
    try {
      expect(await readPage(join(empty, 'web'))).toBeNull();
    } finally {
      await rm(empty, { recursive: true });
    }
  });
});
