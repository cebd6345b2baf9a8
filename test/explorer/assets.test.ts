import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../server/start-server.ts';
import { ask, DEMO, NO_DATABASE, startExplorerServer } from './explorer-server.ts';

let server: RunningServer;
let page: string;
/** Every asset that the page names, in elements or in the settings for its script. */
let paths: string[];

beforeAll(async () => {
  server = await startExplorerServer(NO_DATABASE, DEMO);
  page = String((await ask(`${server.url}/graphql`, { headers: { accept: 'text/html' } })).body);
  paths = [...new Set(page.match(/(?<=")graphql\/assets\/[^"]+(?=")/g))];
});

afterAll(() => server?.close());

const assetOf = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  ask(`${server.url}/${path}`, { method, headers });

const textOf = async (path: string) => String((await assetOf(path)).body);

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

describe('the assets of the page', () => {
  it('are its icon, styles, scripts and workers', () => {
    const kinds = paths.map((path) => path.split('.').at(-1)).sort();
    expect(kinds).toEqual(['css', 'css', 'js', 'js', 'js', 'js', 'js', 'svg']);
  });

  it('are served with their type, cached for good, and never taken for another type', async () => {
    for (const path of paths) {
      const { status, headers } = await assetOf(path);
      expect(status).toBe(200);
      expect(headers['content-type']).toBe(TYPES[path.split('.').at(-1) ?? '']);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers.vary).toBe('Accept-Encoding');
    }
  });

  it('are compressed for clients that accept gzip, and named after what is sent', async () => {
    for (const path of paths) {
      const zipped = await assetOf(path, { 'accept-encoding': 'gzip, deflate, br' });
      const whole = await assetOf(path);
      expect(zipped.headers['content-encoding']).toBe('gzip');
      expect(whole.headers['content-encoding']).toBeUndefined();
      expect(gunzipSync(zipped.body).equals(whole.body)).toBe(true);
      expect(whole.body.length).toBeGreaterThan(0);
      const digest = createHash('sha256').update(zipped.body).digest('hex');
      expect(path).toContain(`/${digest.slice(0, 20)}.`);
    }
  });

  it.each([
    ['gzip', 'gzip'],
    ['br, GZIP;q=0.5', 'gzip'],
    ['gzip;q=1.0', 'gzip'],
    ['gzip;level=9;q=0.5', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000', undefined],
    ['identity', undefined],
    ['', undefined],
  ])('for "accept-encoding: %s" have the encoding %s', async (accepted, encoding) => {
    const [path = ''] = paths;
    const { headers } = await assetOf(path, { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
  });

  it('answer HEAD without a body', async () => {
    const [path = ''] = paths;
    const got = await assetOf(path, { 'accept-encoding': 'gzip' });
    const head = await assetOf(path, { 'accept-encoding': 'gzip' }, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.body).toHaveLength(0);
    expect(head.headers['content-length']).toBe(String(got.body.length));
  });

  it('are not found under another name, or by another method', async () => {
    const [path = ''] = paths;
    for (const answer of [
      await assetOf('graphql/assets/00000000000000000000.js'),
      await assetOf('graphql/assets/'),
      await assetOf(path, {}, 'POST'),
    ]) {
      expect(answer.status).toBe(404);
      expect(JSON.parse(String(answer.body))).toMatchObject({ status: 'ERROR' });
    }
  });
});

describe('nothing is loaded from another host', () => {
  it('by the page', () => {
    const loaded = [...page.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, url = '']) => url);
    expect(loaded.length).toBeGreaterThan(0);
    // It loads nothing from where it only leads: the dashboard.
    expect(loaded.filter((url) => url !== './' && !paths.includes(url))).toEqual([]);
  });

  it('by its styles', async () => {
    const styles = paths.filter((path) => path.endsWith('.css'));
    for (const style of await Promise.all(styles.map(textOf))) {
      expect(style).not.toContain('@import');
      const urls = [...style.matchAll(/url\(\s*["']?([^"')]{0,20})/g)].map(([, url = '']) => url);
      expect(urls.filter((url) => !url.startsWith('data:') && !url.startsWith('#'))).toEqual([]);
    }
  });

  it('by its scripts and workers', async () => {
    const scripts = paths.filter((path) => path.endsWith('.js'));
    for (const script of await Promise.all(scripts.map(textOf))) {
      const foreign = [
        /\b(?:import|importScripts|fetch|Worker|EventSource|WebSocket)\(\s*["'`](?:https?:)?\/\//,
        /\b(?:import|from)\s*["'](?:https?:)?\/\//,
        /<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\\?["'](?:https?:)?\/\//,
        /\burl\(\\?["']?(?:https?:)?\/\//,
        /\bsrc\s*[:=]\s*["'`](?:https?:)?\/\//,
        /[#@] sourceMappingURL=/,
      ];
      expect(foreign.filter((pattern) => pattern.test(script)).map(String)).toEqual([]);
    }
  });
});
