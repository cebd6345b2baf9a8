import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, type TestService } from '../../support/lab/service.ts';
import type { DashboardPage } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';

const HOSTS = guidOf(1);
const PAIRS = guidOf(2);
const HOST = '20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.0';

/**
 * Labels of hosts, largest first: a right-to-left one, one that reverses, twins, and one without
 * any visible character.
 */
const LABELS = ['שרת הקבצים', 'evil\u202Elive', 'printer', 'printer', '\u200b'];

const viewOf = (guid: string) =>
  `?context=lab&group=${guid.slice(1, -1)}&meter=0&window=all&tz=UTC`;
const TOP = viewOf(HOSTS);

/** Where a box ends, which must be there. */
const right = (box: { readonly x: number; readonly width: number } | null | undefined): number =>
  box ? box.x + box.width : Number.POSITIVE_INFINITY;

describeInBrowser('labels in the dashboard', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startLab({
      groups: [
        group(1, { name: 'Hosts', key_kind: 'ipv6' }),
        group(2, {
          name: 'Pairs',
          key_kind: 'crosskey',
          crosskey: { parentguid: HOSTS, crosskeyguid_1: HOSTS },
        }),
      ],
      lines: [
        ...LABELS.map((label, i) => ({
          group: HOSTS,
          key: `${HOST}${i}`,
          label,
          ts: T0,
          values: { 0: 100 - i },
        })),
        ...['0 2', '0 3', '1 2'].map((hosts) => ({
          group: PAIRS,
          key: hosts
            .split(' ')
            .map((i) => `${HOST}${i}`)
            .join('\\'),
          ts: T0,
          values: { 0: 1 },
        })),
      ],
    });
  }, 120_000);

  afterAll(() => lab?.close());

  const open = async (search: string) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: ADA });
    return dashboard;
  };

  it('tell keys with the same one apart beside the map of a trend', async () => {
    const { page } = await open(`${TOP}&view=trend`);
    const labels = await page.locator('.heat-labels li').allInnerTexts();
    expect(labels.filter((label) => label.includes('printer'))).toEqual([
      expect.stringContaining('(2001:db8::2)'),
      expect.stringContaining('(2001:db8::3)'),
    ]);
  });

  it('tell keys with the same one apart among those that a key communicated with', async () => {
    const { page, shoot } = await open(`${TOP}&key=${HOST}0`);
    const links = page.getByRole('region', { name: 'By Pairs' }).getByRole('link');
    await expect
      .poll(() => links.allInnerTexts())
      .toEqual(
        ['2', '3'].map((last) => expect.stringMatching(new RegExp(`printer.*2001:db8::${last}`))),
      );
    await shoot('labels-drilldown');
  });

  it('of pairs are above their keys where there is little room, and none is cut', async () => {
    const { page, shoot } = await open(viewOf(PAIRS));
    for (const width of [360, 800, 1200]) {
      await page.setViewportSize({ width, height: 900 });
      await shoot(`labels-of-pairs-${width}`);
      const name = page.locator('.top-table tbody .key-name').first();
      const [swatch, label, readable] = await Promise.all(
        ['.swatch', '.key-link', '.readable'].map((part) => name.locator(part).boundingBox()),
      );
      expect(label?.x, `${width} px wide`).toBeGreaterThanOrEqual(right(swatch));
      expect(readable?.y, `${width} px wide`).toBeGreaterThanOrEqual((label?.y ?? 0) + 8);
      const cut = await name.evaluate((element) =>
        [...element.children].some((part) => part.scrollWidth > part.clientWidth),
      );
      expect(cut, `${width} px wide`).toBe(false);
    }
  });

  it.each([
    ['top', TOP],
    ['trend', `${TOP}&view=trend`],
  ])('do not change the order of the address beside them: %s', async (name, search) => {
    const { page, shoot } = await open(search);
    const cells = page.locator('tbody th:has(.readable)');
    expect(await cells.count()).toBe(4);
    await shoot(`labels-${name}`);
    for (const cell of await cells.all()) {
      const label = await cell.locator('.key-link').boundingBox();
      const places = await placesOf(cell.locator('.readable'));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect(places[0]).toBeGreaterThan((label?.x ?? 0) + (label?.width ?? 0));
    }
  });

  it('do not change the order of the parts of a pair', async () => {
    const { page, settled, shoot } = await open(`${viewOf(PAIRS)}&key=${HOST}1%5C${HOST}2`);
    await settled();
    await shoot('labels-pairs');
    const parts = page.locator('.panel-parts a');
    await expect.poll(() => parts.allTextContents()).toEqual([LABELS[1], LABELS[2]]);
    const places = await placesOf(parts.nth(1).locator('bdi'));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it('are read apart from the keys beside them', async () => {
    const { page } = await open(TOP);
    const header = page.getByRole('rowheader').nth(2);
    expect(await header.textContent()).toBe('printer 2001:db8::2');
    await page.getByRole('link', { name: 'Trend' }).click();
    await dashboard.settled();
    const row = page.getByRole('region', { name: 'Keys' }).getByRole('rowheader').nth(2);
    expect(await row.textContent()).toBe('printer 2001:db8::2');
  });

  it('name the buttons of keys with the same label apart', async () => {
    const { page } = await open(TOP);
    const names = await page
      .getByRole('button', { name: /^Hide / })
      .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label')));
    expect(names.slice(2, 4)).toEqual([
      'Hide printer (2001:db8::2) and rank again',
      'Hide printer (2001:db8::3) and rank again',
    ]);
  });

  it('give way to the keys if nothing of them is visible', async () => {
    const { page } = await open(TOP);
    const link = page.getByRole('link', { name: '2001:db8::4', exact: true });
    expect((await link.boundingBox())?.width).toBeGreaterThan(50);
    expect(await page.getByRole('button', { name: /^Hide 2001:db8::4 and/ }).count()).toBe(1);
    await link.click();
    await expect.poll(() => page.locator('#panel-title').textContent()).toBe('2001:db8::4');
  });
});

/** Where each character of an element is, in pixels from the left. */
const placesOf = (element: Locator): Promise<number[]> =>
  element.evaluate((own) => {
    const [text] = own.childNodes;
    if (!text) return [];
    const range = document.createRange();
    return [...(text.textContent ?? '')].map((_, index) => {
      range.setStart(text, index);
      range.setEnd(text, index + 1);
      return range.getBoundingClientRect().x;
    });
  });
