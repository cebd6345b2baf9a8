import type { BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDemo } from '../../ingest/demo/demo.ts';
import { EXAMPLES } from '../../schema/documents/examples.ts';
import type { RunningServer } from '../../server/start-server.ts';
import { createTestDatabase, type TestDatabase, withClient } from '../support/database/database.ts';
import { readMetrics } from '../support/http/metrics-text.ts';
import { labelKey } from '../support/lab/label-key.ts';
import { violations } from '../web/browser/axe-violations.ts';
import { type ExplorerPage, launch, openContext, openExplorer } from './explorer-page.ts';
import { DEMO, startExplorerServer } from './explorer-server.ts';

// A page is 5 MB of script, and the machine may be busy with other tests.
describe('the explorer in a browser', { timeout: 90_000 }, () => {
  let database: TestDatabase;
  let demo: RunningServer;
  let plain: RunningServer;
  let context: BrowserContext;
  let explorer: ExplorerPage;

  beforeAll(async () => {
    database = await createTestDatabase();
    const now = () => Math.floor(Date.now() / 1000);
    await createDemo({ databaseUrl: database.url, now });
    demo = await startExplorerServer(database.url, DEMO);
    plain = await startExplorerServer(database.url, { credentials: null });
    context = await openContext(await launch());
  }, 120_000);

  afterAll(async () => {
    await context?.close();
    await demo?.close();
    await plain?.close();
    await database?.drop();
  });

  afterEach(() => explorer?.close());

  const open = async (address: string) => {
    explorer = await openExplorer(context, address);
    return explorer;
  };

  it('requests nothing from another host, and causes no errors or warnings', async () => {
    const { page, complaints, requested, write, shows, play } = await open(`${demo.url}/graphql`);
    await play('"rank": 1,');
    // The workers run under the page's policy: one of them checks against the schema.
    await write('operation.graphql', '{ nonsense }');
    const markers = 'monaco.editor.getModelMarkers({}).map(({ message }) => message).join()';
    await expect
      .poll(() => page.evaluate(markers), { timeout: 20_000 })
      .toContain('Cannot query field');
    await write('variables.json', '{');
    await shows('variables.json', '{');
    expect(requested.filter((url) => !url.startsWith(`${demo.url}/`))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('shows an example on one click, and runs it on another', async () => {
    const { example, tab, play, complaints } = await open(`${demo.url}/graphql`);
    for (const { title, query } of EXAMPLES) {
      await example(title).click();
      await play('"context": {');
      const [, operation = ''] = /query (\w+)/.exec(query) ?? [];
      await tab(operation).waitFor();
    }
    expect(complaints).toEqual([]);
  });

  it('can be used by keyboard alone', async () => {
    const { page, example, tab, shows } = await open(`${demo.url}/graphql`);
    await page.keyboard.press('Tab');
    await expect
      .poll(() => page.getByRole('link', { name: 'Dashboard' }).evaluate(isFocused))
      .toBe(true);
    await page.keyboard.press('Tab');
    await expect.poll(() => example('Top talkers').evaluate(isFocused)).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await tab('GroupsWithMeters').waitFor();
    await page.getByRole('button', { name: 'Execute query' }).focus();
    await page.keyboard.press('Enter');
    await shows('response.json', '"name": "Protocols"');
  });

  it('leaves alone what the user wrote: the example opens in a new tab', async () => {
    const { page, example, tab, write, shows, play } = await open(`${demo.url}/graphql`);
    await write('operation.graphql', 'query Mine { viewer { username } }');
    await tab('Mine').waitFor();
    await example('Slices and pools').click();
    await tab('SlicesAndPools').waitFor();
    await play('"totalWindow": {');
    await page.getByRole('button', { name: 'Mine', exact: true }).click();
    await shows('operation.graphql', 'query Mine { viewer { username } }');
    await play('"username": "demo"');
  });

  it('opens examples beside stored tabs, its own or those of another GraphiQL', async () => {
    const { page, open: openAgain, example, tab, write, play } = await open(`${demo.url}/graphql`);
    await page.evaluate("localStorage.setItem('graphiql:tabState', 'of another GraphiQL')");
    await write('operation.graphql', 'query Mine { viewer { username } }');
    await tab('Mine').waitFor();
    await expect
      .poll(() => page.evaluate("localStorage['countergraph:graphiql:tabState']"), {
        timeout: 20_000,
      })
      .toContain('query Mine');
    await openAgain(`${demo.url}/graphql`);
    await tab('Mine').waitFor();
    await example('Search for keys').click();
    await tab('SearchKeys').waitFor();
    await play('"totalCount"');
    expect(await page.locator('.graphiql-tab').count()).toBe(2);
  });

  it('opens the query in its address in a tab, and keeps it there', async () => {
    const query = 'query Linked($name: String!) { context(name: $name) { nodeName } }';
    const parameters = new URLSearchParams({ query, variables: '{"name":"demo"}' });
    const address = `${demo.url}/graphql?${parameters}`;
    const { page, open: openAgain, tab, shows, play } = await open(address);
    await tab('Linked').waitFor();
    await play('"nodeName": "primary"');
    expect(page.url()).toBe(`${demo.url}/graphql`);
    // GraphiQL stores its tabs half a second after they have changed.
    await expect
      .poll(() => page.evaluate("localStorage['countergraph:graphiql:tabState'] ?? ''"))
      .toContain('Linked');
    await openAgain(page.url());
    await tab('Linked').waitFor();
    await shows('variables.json', '{"name":"demo"}');
  });

  it('opens what a link of the dashboard has in its fragment', async () => {
    const query = 'query Linked($name: String!) { context(name: $name) { name } }';
    const parts = new URLSearchParams({ query, variables: '{"name":"demo"}' });
    const { page, tab, play } = await open(`${demo.url}/graphql#${parts}`);
    await tab('Linked').waitFor();
    await play('"name": "demo"');
    expect(page.url()).toBe(`${demo.url}/graphql`);
  });

  it.each(['light', 'dark'] as const)('can be used by everybody: %s', async (colorScheme) => {
    const { page, play } = await open(`${demo.url}/graphql`);
    await page.emulateMedia({ colorScheme });
    // The editor chooses its colours when it starts.
    await page.reload();
    await play('"rank": 1,');
    expect(await violations(page, 'all')).toEqual([]);
    await page.setViewportSize({ width: 390, height: 900 });
    expect(await violations(page, 'all')).toEqual([]);
    await page.setViewportSize({ width: 1600, height: 900 });
  });

  it('shows each answer to a subscription as it comes, until it is stopped', async () => {
    const { page, write, play, shows, complaints } = await open(`${demo.url}/graphql`);
    const label = (text: string) => nameKey(database.url, text);
    await label('before');
    await write('operation.graphql', PROTOCOLS);
    await write('variables.json', '{}');
    await play('"label": "before"');
    for (const text of ['first', 'second']) {
      await label(text);
      await shows('response.json', `"label": "${text}"`);
    }
    await page.getByRole('button', { name: 'Stop query' }).click();
    await page.getByRole('button', { name: 'Execute query' }).waitFor();
    expect(complaints).toEqual([]);
    const metrics = async () => readMetrics(await (await fetch(`${demo.url}/metrics`)).text());
    await expect
      .poll(async () => (await metrics()).value('countergraph_subscriptions_open'))
      .toBe(0);
  });

  describe('without the demo', () => {
    it('shows the headers to fill in, and the schema even before they are', async () => {
      const { page, play } = await open(`${plain.url}/graphql`);
      const headers = page.getByRole('region', { name: 'Headers' });
      await expect.poll(() => headers.textContent()).toMatch(/authorization.*Bearer.*x-username/);
      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      await page.getByRole('link', { name: 'CounterGroup', exact: true }).waitFor();
      await play('"code": "UNAUTHENTICATED"');
    });

    it('needs headers and context once for all tabs, and does not store the token', async () => {
      const { page, open: openAgain, ...rest } = await open(`${plain.url}/graphql`);
      const { example, tab, write, shows, play } = rest;
      const token = '{ "authorization": "Bearer demo", "x-username": "demo" }';
      await write('request-headers.json', token);
      await write('variables.json', '{ "context": "demo" }');
      await play('"rank": 1,');
      await page.getByRole('button', { name: 'New tab' }).click();
      await shows('request-headers.json', token);
      await example('Groups with meters').click();
      await tab('GroupsWithMeters').waitFor();
      await openAgain(page.url());
      await shows('request-headers.json', token);
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('Bearer demo');
    });
  });

  it('aborts the request when it is stopped', async () => {
    const { page } = await open(`${demo.url}/graphql`);
    await page.route('**/graphql', () => {
      // Never answered.
    });
    const ended = page.waitForEvent('requestfailed');
    await page.getByRole('button', { name: 'Execute query' }).click();
    await page.getByRole('button', { name: 'Stop query' }).click();
    expect((await ended).failure()?.errorText).toBe('net::ERR_ABORTED');
    await page.getByRole('button', { name: 'Execute query' }).waitFor();
  });

  it('fits within the window, whatever its width', async () => {
    const { page, example, play } = await open(`${demo.url}/graphql`);
    await play('"rank": 1,');
    for (const width of [390, 800, 801, 1600]) {
      await page.setViewportSize({ width, height: 900 });
      for (const name of ['Operation Editor', 'Variables', 'Result Window']) {
        const { x, y, ...box } = (await page.getByRole('region', { name }).boundingBox()) ?? NO_BOX;
        expect(box.width).toBeGreaterThan(250);
        expect(box.height).toBeGreaterThan(80);
        expect(x + box.width).toBeLessThanOrEqual(width);
        expect(y + box.height).toBeLessThanOrEqual(900);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      for (const { title } of EXAMPLES) {
        await example(title).scrollIntoViewIfNeeded();
        const { x, width: wide } = (await example(title).boundingBox()) ?? NO_BOX;
        expect(Math.floor(x + wide)).toBeLessThanOrEqual(width);
      }
    }
  });

  it('is entirely light or dark, like the system', async () => {
    const { page } = await open(`${demo.url}/graphql`);
    for (const [colorScheme, expected] of [
      ['light', 'rgb(255, 255, 255)'],
      ['dark', 'rgb(33, 42, 59)'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      const backgrounds = await page.evaluate<string[]>(
        "[...document.querySelectorAll('.graphiql-container')]" +
          '.map((element) => getComputedStyle(element).backgroundColor)',
      );
      expect(new Set(backgrounds)).toEqual(new Set([expected]));
    }
  });
});

const NO_BOX = { x: 0, y: 0, width: 0, height: 0 };

const isFocused = (element: { ownerDocument: { activeElement: unknown } }) =>
  element === element.ownerDocument.activeElement;

const PROTOCOL_GROUP = '{E89BCD56-30AD-40F5-B1C8-8B7683F440BD}';

const PROTOCOLS = `subscription Protocols {
  topper(context: "demo", counterGroup: "${PROTOCOL_GROUP}", filter: { keys: ["06"] }
    window: { preset: ALL_AVAILABLE }) { keys { key label } }
}`;

const nameKey = (url: string, label: string): Promise<unknown> =>
  withClient(url, (client) =>
    labelKey(
      { sql: async (text, values) => (await client.query(text, [...(values ?? [])])).rows },
      PROTOCOL_GROUP,
      ['06', label],
    ),
  );
