import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, type TestService } from '../../support/lab/service.ts';
import { violations } from './axe-violations.ts';
import { type DashboardPage, type Looks, overflowOf } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';

const [HOSTS, APPS, COUNTRIES, PAIRS, PATHS, DELAYS] = [1, 2, 3, 4, 5, 6].map(guidOf);

const WINDOW = `window=${T0}-${T0 + 3600}&tz=UTC`;
const viewOf = (guid = '', more = '') =>
  `?view=flows&context=lab&group=${guid.slice(1, -1)}&${WINDOW}${more}`;

const bytes = { ...meter(0, 2, 'Total bytes'), units: 'bytes' };
const crosskey = (first = '', second = '', third?: string) => ({
  parentguid: first,
  crosskeyguid_1: second,
  ...(third !== undefined && { crosskeyguid_2: third }),
});

/** Hosts that begin connections with each other, and over what; 25 pairs of hosts. */
const startFlowsLab = (): Promise<TestService> =>
  startLab({
    groups: [
      group(1, { name: 'Hosts', meters: [bytes] }),
      group(2, { name: 'Apps', key_kind: 'port', meters: [bytes] }),
      group(3, { name: 'Country', key_kind: 'country', meters: [bytes] }),
      group(4, {
        name: 'Pairs',
        key_kind: 'crosskey',
        crosskey: crosskey(HOSTS, HOSTS),
        meters: [bytes],
      }),
      group(5, {
        name: 'Paths',
        key_kind: 'crosskey',
        crosskey: crosskey(HOSTS, APPS, HOSTS),
        meters: [bytes],
      }),
      group(6, {
        name: 'Delays',
        key_kind: 'crosskey',
        crosskey: crosskey(HOSTS, HOSTS),
        meters: [{ ...meter(0, 5, 'Delay'), units: 'ms' }],
      }),
    ],
    lines: [
      ...['alpha', 'beta', 'gamma'].map((key, i) => ({
        group: HOSTS ?? '',
        key,
        ts: T0,
        values: { 0: 5000 - i },
        label: `${key}.example.com`,
      })),
      ...[
        ['alpha\\beta', 6000],
        ['beta\\alpha', 3000],
        ['alpha\\gamma', 1000],
        ...Array.from({ length: 22 }, (_, i) => [`gamma\\host${i}`, 10] as const),
      ].map(([key, value]) => ({
        group: PAIRS ?? '',
        key: String(key),
        ts: T0,
        values: { 0: Number(value) },
      })),
      ...[
        ['alpha\\01.BB\\beta', 500],
        ['alpha\\00.16\\gamma', 300],
        ['beta\\01.BB\\gamma', 200],
      ].map(([key, value]) => ({
        group: PATHS ?? '',
        key: String(key),
        ts: T0,
        values: { 0: Number(value) },
      })),
      { group: DELAYS ?? '', key: 'alpha\\beta', ts: T0, values: { 0: 12 } },
      { group: COUNTRIES ?? '', key: 'NO', ts: T0, values: { 0: 700 }, label: 'Norway' },
      { group: COUNTRIES ?? '', key: 'PT', ts: T0, values: { 0: 300 }, label: 'Portugal' },
      { group: HOSTS ?? '', key: 'alpha', ts: T0 + DAY, values: { 0: 1 } },
    ],
  });

describeInBrowser('the flows of the dashboard', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startFlowsLab();
  }, 120_000);

  afterAll(() => lab?.close());

  const open = async (search: string, looks: Looks = {}) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: ADA, ...looks });
    await dashboard.settled();
    return dashboard;
  };
  /** The texts of elements; their numbers do not break from their units. */
  const textsOf = async (elements: Locator) =>
    (await elements.allTextContents()).map((text) => text.replaceAll('\u00a0', ' '));
  const card = () => dashboard.page.getByRole('region', { name: 'Flows', exact: true });
  const column = (part: number) =>
    card().getByRole('list', { name: new RegExp(`part ${part} of the pairs$`) });

  it('are reached from the top keys, as the pairs of the group', async () => {
    const { page, settled } = await open(`?context=lab&group=${HOSTS?.slice(1, -1)}&${WINDOW}`);
    await page.getByRole('link', { name: 'Flows' }).click();
    await settled();
    await expect
      .poll(() => page.getByRole('heading', { level: 1 }).textContent())
      .toMatch(/^Pairs/);
    expect(await page.getByLabel('Group').locator('option').allTextContents()).toEqual([
      'Delays',
      'Pairs',
      'Paths',
    ]);
    expect(await textsOf(column(1).getByRole('link'))).toContain('alpha.example.com 7.00 kB');
    expect(await textsOf(column(2).getByRole('link'))).toContain('alpha.example.com 3.00 kB');
    await expect
      .poll(() => textsOf(card().getByRole('heading')))
      .toEqual([
        'Total bytes of 20 pairs · 10.2 kB of 10.2 kB: 99.5 % · 5 smaller pairs are not drawn',
      ]);
    expect(await card().locator('path').count()).toBe(20);
    expect(dashboard.complaints).toEqual([]);
  });

  it('stand out where the pointer or the focus is, and say how much they are', async () => {
    await open(viewOf(PAIRS));
    const said = card().locator('.flows-said');
    await expect.poll(() => said.textContent()).toContain('the first part of each pair');
    const alpha = column(1).getByRole('link', { name: /^alpha/ });
    await alpha.focus();
    await expect.poll(() => textsOf(said)).toEqual(['alpha.example.com: 7.00 kB in 2 pairs']);
    expect(await card().locator('path.is-lit').count()).toBe(2);
    await alpha.blur();
    await card().locator('path').first().hover();
    await expect
      .poll(() => textsOf(said))
      .toEqual(['alpha.example.com → beta.example.com: 6.00 kB']);
    await card().locator('path').first().click();
    await dashboard.settled();
    const panel = dashboard.page.getByRole('complementary');
    await panel.waitFor();
    expect(await panel.locator('h2').textContent()).toBe('alpha.example.com × beta.example.com');
    expect(await card().locator('path.is-lit').count()).toBe(1);
  });

  it('lead to a key among the top keys of its own group', async () => {
    const { page, settled } = await open(viewOf(PAIRS));
    await column(2).getByRole('link', { name: /^beta/ }).press('Enter');
    await settled();
    await expect.poll(() => page.locator('#panel-title').textContent()).toBe('beta.example.com');
    expect(new URL(page.url()).searchParams.get('group')).toBe(HOSTS?.slice(1, -1));
    expect(await page.locator('.chart-card').count()).toBe(1);
  });

  it('of three parts have three columns', async () => {
    const { page, shoot } = await open(viewOf(PATHS));
    expect(await textsOf(column(2).getByRole('link'))).toEqual(['https 700 B', 'ssh 300 B']);
    expect(await card().locator('path').count()).toBe(6);
    for (const width of [390, 1280, 2560]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await overflowOf(page), `${width} px wide`).toBeLessThanOrEqual(0);
      await shoot(`flows-three-${width}`);
    }
    expect(await violations(page)).toEqual([]);
  });

  it('have countries beside them, as bars that lead on', async () => {
    const { page, settled } = await open(viewOf(PAIRS));
    const countries = page.getByRole('region', { name: 'Country' });
    await expect.poll(() => countries.locator('li').allTextContents()).toHaveLength(2);
    expect(await countries.locator('li').first().textContent()).toMatch(/^Norway700 B70\.0 %$/);
    await countries.getByRole('link', { name: 'Norway' }).click();
    await settled();
    await expect.poll(() => page.locator('#panel-title').textContent()).toBe('Norway');
  });

  it('have no picture where values do not add up, and say so', async () => {
    const { page } = await open(viewOf(DELAYS));
    await page.getByText('the values of Delay do not add up').waitFor();
    expect(await dashboard.labels()).toEqual(['alpha.example.com × beta.example.com']);
  });

  it('say that a filter lets nothing through, and draw what it lets through', async () => {
    const { page, settled } = await open(viewOf(PAIRS, '&find=nobody'));
    await page.getByText('No key passes the filter').first().waitFor();
    await page.goto(`${lab.url}/${viewOf(PAIRS, '&find=beta')}`);
    await settled();
    await expect.poll(() => card().locator('path').count()).toBe(2);
    expect(await textsOf(card().getByRole('heading'))).toEqual([
      expect.stringContaining('9.00 kB pass the filter'),
    ]);
  });

  it('are saved as a picture, with names and colours', async () => {
    const { page } = await open(viewOf(PAIRS));
    await page.getByRole('button', { name: 'Export' }).click();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^Save as a picture/ }).click(),
    ]);
    expect(saved.suggestedFilename()).toMatch(/pairs.*\.png$/);
    const png = await readFile(await saved.path());
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    // Wider than a chart's least width, and as high as twenty pairs.
    expect([png.readUInt32BE(16), png.readUInt32BE(20) > 600]).toEqual([1248, true]);
  });
});
