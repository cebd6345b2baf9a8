import { afterAll, beforeAll, expect, it } from 'vitest';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, type TestService } from '../../support/lab/service.ts';
import { type DashboardPage, overflowOf } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';

/** The longest text key. */
const KEY = 'k'.repeat(512);
/** A name of one word that is wider than a phone. */
const NAME = 'Autonomous_System_Interface_Pairs_Of_Routers_And_Of_Firewalls';
/** The longest label. */
const LABEL = 'label '.repeat(166);

const TOP = `?context=lab&group=${guidOf(1).slice(1, -1)}&meter=0&window=all&tz=UTC`;

describeInBrowser('the dashboard with long texts', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startLab({
      groups: [group(1, { name: NAME })],
      lines: [KEY, 'short', 'labelled'].map((key) => ({
        group: guidOf(1),
        key,
        ts: T0,
        values: { 0: 1 },
        ...(key === 'labelled' && { label: LABEL }),
      })),
    });
  }, 120_000);

  afterAll(() => lab?.close());

  it.each([
    ['top', TOP],
    ['find', `${TOP}&find=${KEY}`],
    ['hide', `${TOP}&hide=${KEY}`],
    ['key', `${TOP}&key=${KEY}`],
    ['trend', `${TOP}&view=trend`],
    ['trend-table', `${TOP}&view=trend&form=table`],
    ['empty', TOP.replace('window=all', 'window=1000-2000')],
    ['storage', '?view=storage&context=lab&tz=UTC'],
  ])('does not scroll sideways: %s', async (name, search) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: ADA });
    const { page, settled, shoot } = dashboard;
    for (const width of [320, 720, 1200]) {
      await page.setViewportSize({ width, height: 900 });
      await settled();
      await shoot(`long-${name}-${width}`);
      expect(await overflowOf(page), `${width} px wide`).toBeLessThanOrEqual(0);
    }
  });

  it.each([
    ['top', TOP],
    ['trend', `${TOP}&view=trend`],
  ])('shows all columns, and the whole key beside a long label: %s', async (_, search) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: ADA, width: 900 });
    const { page, settled } = dashboard;
    await settled();
    const row = page.locator('.table-card tbody tr', { hasText: 'labelled' });
    const { label, readable, last, card } = await row.evaluate((element) => {
      const box = (found: Element | null | undefined) => found?.getBoundingClientRect();
      const link = element.querySelector('.key-link');
      const key = element.querySelector('.readable');
      return {
        label: { box: box(link), title: link?.getAttribute('title') },
        readable: { box: box(key), cut: (key?.scrollWidth ?? 0) - (key?.clientWidth ?? 0) },
        last: box(element.lastElementChild),
        card: box(element.closest('.table-card')),
      };
    });
    expect(label.title?.trim()).toBe(LABEL.trim());
    expect(label.box?.width).toBeGreaterThan(50);
    const isBeside = (readable.box?.left ?? 0) >= (label.box?.right ?? Infinity);
    expect(isBeside || (readable.box?.top ?? 0) >= (label.box?.bottom ?? Infinity)).toBe(true);
    expect(readable.cut).toBeLessThanOrEqual(0);
    expect(readable.box?.right).toBeLessThanOrEqual(last?.left ?? 0);
    expect(last?.right).toBeLessThanOrEqual(card?.right ?? 0);
  });

  it('puts a long key beside its colour on a phone', async () => {
    dashboard = await openAt(`${lab.url}/${TOP}`, { as: ADA, width: 360, height: 740 });
    const { page, settled } = dashboard;
    await settled();
    const row = page.locator('.top-table tbody tr', { hasText: KEY });
    const swatch = await row.locator('.swatch').boundingBox();
    const link = await row.locator('.key-link').boundingBox();
    expect(link?.x).toBeGreaterThanOrEqual((swatch?.x ?? Infinity) + (swatch?.width ?? 0));
  });

  it.each([
    [320, 256],
    [640, 400],
    [1200, 400],
    [1200, 900],
  ])('shows all of the panel of a key with a long label: %d × %d', async (width, height) => {
    dashboard = await openAt(`${lab.url}/${TOP}&key=labelled`, { as: ADA, width, height });
    const { page, settled, shoot } = dashboard;
    await settled();
    const panel = page.getByRole('complementary');
    await panel.getByRole('region', { name: 'Attributes' }).waitFor();
    const parts = [
      panel.locator('dt', { hasText: 'Raw key' }),
      panel.locator('.fact').first(),
      panel.getByRole('button', { name: 'Close this key' }),
    ];
    for (const part of parts) {
      await part.evaluate((element) => element.scrollIntoView({ block: 'end' }));
      expect(await part.evaluate(isOnTop)).toBe(true);
    }
    const title = page.locator('#panel-title');
    await title.evaluate((element) => element.scrollIntoView({ block: 'end' }));
    const { bottom, head } = await title.evaluate((element) => ({
      bottom: element.getBoundingClientRect().bottom,
      head: element.closest('.panel-head')?.getBoundingClientRect().bottom ?? 0,
    }));
    expect(Math.floor(bottom)).toBeLessThanOrEqual(Math.min(head, height));
    await shoot(`long-label-${width}-${height}`);
  });
});

/** Returns whether nothing covers the middle of an element. */
function isOnTop(element: Element): boolean {
  const { x, y, width, height } = element.getBoundingClientRect();
  const top = document.elementFromPoint(x + width / 2, y + height / 2);
  return top !== null && element.contains(top);
}
