import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heatColors, seriesColors } from '../../../web/src/chart/palette.ts';
import { startLab } from '../../support/lab/lab.ts';
import { ADA, CONTEXT, type TestService } from '../../support/lab/service.ts';
import { violations } from './axe-violations.ts';
import { type DashboardPage, type Looks, overflowOf } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { HOSTS, hostName, NEVER, SENSORS, startPageLab, TEN } from './page-lab.ts';

const WINDOW = `window=${TEN}-${TEN + 7200}&tz=UTC`;
/** Thirteen minutes: some hosts have more than in the thirteen before, and some less. */
const CUT = `window=${TEN + 13 * 60}-${TEN + 26 * 60}&tz=UTC`;
const TOP = `?context=lab&group=${HOSTS.slice(1, -1)}&meter=0&${WINDOW}`;

/** Every view that is checked: its name, and the search part of its address. */
const VIEWS: readonly (readonly [name: string, search: string])[] = [
  ['top', TOP],
  ['key', `${TOP}&key=0A.00.00.0A`],
  ['growth', `${TOP.replace(WINDOW, CUT)}&rank=growth`],
  ['nothing-new', `${TOP.replace(WINDOW, CUT)}&rank=new`],
  ['hidden', `${TOP}&hide=0A.00.00.0A&find=host`],
  ['gauge', `?context=lab&group=${SENSORS.slice(1, -1)}&meter=0&${WINDOW}`],
  ['empty', `?context=lab&group=${HOSTS.slice(1, -1)}&meter=0&window=1000-2000&tz=UTC`],
  ['networks', `${TOP}&prefix=30,48&key=0A.00.00.08/1E`],
  ['flows', `${TOP}&view=flows`],
  ['flows-key', `${TOP}&view=flows&key=0A.00.00.0A%5C01.BB`],
  ['trend', `${TOP}&view=trend`],
  ['trend-table', `${TOP}&view=trend&form=table&step=30m`],
  ['storage', '?view=storage&context=lab&tz=UTC'],
];

const ALL_VIEWS = ['overview', 'top', 'flows', 'trend', 'alerts', 'storage', 'add', 'users'];

describeInBrowser('the look of the dashboard', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startPageLab();
  }, 120_000);

  afterAll(() => lab?.close());

  const open = async (search: string, looks: Looks = {}) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: ADA, ...looks });
    return dashboard;
  };

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    it('is accessible, whatever its width', async () => {
      const { page, settled, shoot } = await open(TOP, { colorScheme });
      for (const [i, [name, search]] of VIEWS.entries()) {
        // Every view in both colours and in both widths, and both colours in both widths.
        const width = (i % 2 === 0) === (colorScheme === 'light') ? 1600 : 390;
        await page.setViewportSize({ width, height: 900 });
        await page.goto(`${lab.url}/${search}`);
        await settled();
        expect(await violations(page, 'all'), `${name}, ${width} px wide`).toEqual([]);
        await shoot(`${name}-${colorScheme}-${width}`);
      }
    });

    it('is accessible without any data, whatever its width', async () => {
      const lone = await startLab({ groups: [], lines: [] });
      try {
        dashboard = await openAt(`${lone.url}/`, { as: ADA, colorScheme });
        const { page, settled } = dashboard;
        for (const [i, view] of ALL_VIEWS.entries()) {
          const width = (i % 2 === 0) === (colorScheme === 'light') ? 1280 : 390;
          await page.setViewportSize({ width, height: 900 });
          await page.goto(`${lone.url}/?context=${CONTEXT}&view=${view}`);
          await settled();
          expect(await violations(page, 'all'), `${view}, ${width} px wide`).toEqual([]);
        }
      } finally {
        await lone.close();
      }
    });

    it('has an accessible sign-in page, and accessible dialogs', async () => {
      dashboard = await openAt(`${lab.url}/${TOP}`, { colorScheme });
      const { page, signIn, shoot } = dashboard;
      expect(await violations(page)).toEqual([]);
      await shoot(`sign-in-${colorScheme}`);
      await signIn();
      for (const name of ['Time', 'Units and time zone', 'Export']) {
        await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
        await page.getByRole('dialog', { name }).waitFor();
        expect(await violations(page), name).toEqual([]);
        await shoot(`${name.replaceAll(' ', '-').toLowerCase()}-${colorScheme}`);
        await page.keyboard.press('Escape');
      }
    });
  });

  it('does not scroll sideways, whatever its width', async () => {
    const { page, settled } = await open(TOP);
    for (const [name, search] of VIEWS) {
      await page.goto(`${lab.url}/${search}`);
      for (const width of [390, 720, 721, 1100, 1600]) {
        await page.setViewportSize({ width, height: 900 });
        await settled();
        expect(await overflowOf(page), `${name}, ${width} px wide`).toBeLessThanOrEqual(0);
      }
    }
  });

  it('has its header without overlaps, and all that opens in the window', async () => {
    // Without rules, there is no word of what fires.
    const rule = { name: 'ever', group: NEVER, when: { total_above: 1 } };
    await lab.apply({ context: 'lab', alerts: [rule] });
    const { page, settled } = await open(TOP);
    const firing = page.locator('.tab-firing');
    const all = page.locator('.popover > button');
    await expect.poll(() => all.count()).toBe(5);
    const buttons = await all.all();
    for (const width of [320, 390, 540, 720, 740, 780, 860, 960, 1040, 1100, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await settled();
      const more = page.locator('.controls-button[aria-expanded="false"]');
      if (await more.isVisible()) await more.click();
      const room = await page.evaluate<number>('document.body.clientWidth');
      for (const text of ['none firing', '304 critical + 1013']) {
        await firing.evaluate((element, newText) => {
          if (element.firstChild) element.firstChild.textContent = newText;
        }, text);
        expect(await page.evaluate(overlapsInHeader), `${text}, ${width} px wide`).toEqual([]);
      }
      for (const button of buttons) {
        await button.press('Enter');
        const name = await button.textContent();
        const isInWindow = async () => {
          const dialog = await page.getByRole('dialog').boundingBox();
          const isWithin = dialog && dialog.x >= 0 && dialog.x + dialog.width <= room;
          return isWithin && (await overflowOf(page)) <= 0;
        };
        await expect.poll(isInWindow, { message: `${name}, ${width} px wide` }).toBe(true);
        await page.keyboard.press('Escape');
      }
    }
    await lab.apply({ context: 'lab', alerts: [{ name: 'ever', remove: true }] });
  });

  it('keeps its colours and marks if the viewer forces other colours', async () => {
    const { page, shoot } = await open(TOP);
    await page.emulateMedia({ forcedColors: 'active' });
    const colorOf = (selector: string, property: string, pseudo?: '::after') =>
      page
        .locator(selector)
        .first()
        .evaluate(
          (element, [name, part]) => getComputedStyle(element, part).getPropertyValue(name ?? ''),
          [property, pseudo] as const,
        );
    const ground = await colorOf('body', 'background-color');
    for (const selector of ['.swatch', '.share-bar']) {
      const [own, shown] = await page
        .locator(selector)
        .first()
        .evaluate((element) => [
          (element as HTMLElement).style.backgroundColor,
          getComputedStyle(element).backgroundColor,
        ]);
      expect(shown, selector).toBe(own);
    }
    for (const selector of ['.has-caret', '.top-table [aria-sort]']) {
      const mark = await colorOf(selector, 'background-color', '::after');
      expect(mark, selector).not.toBe(ground);
    }
    const current = await colorOf('.tab[aria-current]', 'border-bottom-color');
    expect(await colorOf('.tab:not([aria-current])', 'border-bottom-color')).not.toBe(current);
    await shoot('forced-colours');
    await page.goto(`${lab.url}/${TOP}&view=trend`);
    const ramp = await colorOf('.heat-ramp span', 'background-color');
    expect(ramp).toBe(rgb(heatColors('light')[0]));
  });

  it('is printed black on white, with its charts and tables and nothing to click', async () => {
    const { page, settled, shoot } = await open(`${TOP}&key=0A.00.00.0A&hide=0A.00.00.0B`, {
      colorScheme: 'dark',
    });
    await settled();
    // As wide as a page of A4.
    await page.setViewportSize({ width: 718, height: 1000 });
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await expect
      .poll(() => page.locator('.swatch').first().getAttribute('style'))
      .toContain(rgb(seriesColors('light')[0]));
    await shoot('printed');
    for (const selector of ['header', '.search-box', 'main button', '.is-act']) {
      const shown = page.locator(selector).filter({ visible: true });
      expect(await shown.count(), selector).toBe(0);
    }
    for (const selector of ['h1', '.chart-card canvas', '.top-table thead', '#panel-title']) {
      expect(await page.locator(selector).isVisible(), selector).toBe(true);
    }
    expect(await page.locator('.printed-head').innerText()).toBe('Hosts · lab · countergraph');
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(0, 0, 0)');
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.emulateMedia({ media: 'screen' });
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    await expect
      .poll(() => page.locator('.swatch').first().getAttribute('style'))
      .toContain(rgb(seriesColors('dark')[0]));
  });

  it('writes the unit of the chosen meter at the axis, also if only the unit changes', async () => {
    const { page, settled } = await open(`${TOP}&rates=bytes`);
    await page.evaluate(`
      const { prototype } = CanvasRenderingContext2D;
      const { fillText } = prototype;
      prototype.fillText = function (text, ...place) {
        if (text.endsWith('/s')) globalThis.lastUnit = text.replace(/^[\\d.]+ /, '');
        return fillText.call(this, text, ...place);
      }`);
    const lastUnit = () => page.evaluate('globalThis.lastUnit');
    await page.getByRole('combobox', { name: 'Meter' }).selectOption('Connections');
    await settled();
    await expect.poll(lastUnit).toBe('/s');
    await page.goBack();
    await settled();
    await expect.poll(lastUnit).toBe('kB/s');
  });

  it.each([390, 800, 1600])('shows its readout within the chart, %i px wide', async (width) => {
    const { page, shoot } = await open(TOP, { width, height: 900 });
    const plot = page.locator('.chart-card .u-over');
    const { width: across = 0 } = (await plot.boundingBox()) ?? {};
    for (const part of [0.02, 0.3, 0.45, 0.55, 0.98]) {
      await plot.hover({ position: { x: across * part, y: 40 } });
      const readout = page.locator('.readout');
      await readout.waitFor();
      const box = await readout.boundingBox();
      const card = await page.locator('.chart-card').boundingBox();
      if (!box || !card) throw new Error('nothing is shown');
      expect(box.x).toBeGreaterThanOrEqual(card.x);
      expect(box.x + box.width).toBeLessThanOrEqual(card.x + card.width);
      expect(box.width).toBeGreaterThan(150);
    }
    await shoot(`readout-${width}`);
  });

  it('shows by keyboard the steps that the window cuts, each with the part it has', async () => {
    const cut = `window=${TEN - 3 * 3600 + 120}-${TEN + 7200 - 60}`;
    const { page } = await open(TOP.replace(/window=\d+-\d+/, cut));
    const time = page.locator('.chart-card .readout-time');
    await page.locator('.chart-card .chart-place').focus();
    for (const [key, text] of [
      ['Home', /07:02 – 07:05$/],
      ['ArrowRight', /07:05 – 07:10$/],
      ['End', /11:55 – 11:59$/],
      ['ArrowLeft', /11:50 – 11:55$/],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(() => time.textContent()).toMatch(text);
    }
  });

  it('shows all of a slice without scrolling sideways, 390 px wide', async () => {
    const { page } = await open('?view=storage&context=lab', { width: 390, height: 900 });
    const cells = page.getByRole('region', { name: 'Slices as a table' }).locator('tbody tr > *');
    for (const cell of await cells.all()) {
      const { x = -1, width = 0 } = (await cell.boundingBox()) ?? {};
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(390);
    }
    expect(await cells.count()).toBe(24);
  });

  it('is light or dark like the system, or as the user chooses', async () => {
    const { page } = await open(TOP);
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(ground).not.toBe(light);
    await page.getByRole('button', { name: /switch to light/i }).click();
    await expect.poll(ground).toBe(light);
    await page.reload();
    expect(await ground()).toBe(light);
  });

  it('works by keyboard alone, from signing in to a zoomed key and back', async () => {
    dashboard = await openAt(`${lab.url}/${TOP}`);
    const { page, settled } = dashboard;
    const { keyboard } = page;
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    const tabTo = async (name: RegExp) => {
      for (let i = 0; i < 60; i += 1) {
        await keyboard.press('Tab');
        const focusedText = await page.evaluate<string>(
          '(document.activeElement.getAttribute("aria-label") ?? "") + document.activeElement.textContent',
        );
        if (name.test(focusedText)) return;
      }
      throw new Error(`Tab never comes to ${name}`);
    };
    await page.getByLabel('User').waitFor();
    await keyboard.type('ada');
    await keyboard.press('Tab');
    await keyboard.type('ada-token');
    await keyboard.press('Enter');
    await page.locator('.top-table').waitFor();
    await settled();

    await tabTo(/^Stack of the/);
    for (const key of ['ArrowLeft', 'Shift+ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowRight']) {
      await keyboard.press(key);
    }
    await expect.poll(() => page.locator('.readout').count()).toBe(1);
    await keyboard.press('Enter');
    await settled();
    await expect.poll(() => page.url()).not.toContain(WINDOW.split('&')[0]);

    await tabTo(new RegExp(`^${hostName(0)}$`));
    await keyboard.press('ArrowDown');
    const second = await focused();
    expect(second).not.toBe(hostName(0));
    await keyboard.press('Enter');
    await expect.poll(() => page.getByRole('complementary').count()).toBe(1);
    await settled();
    expect(await focused()).toBe(second);
    await keyboard.press('Escape');
    await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
    await expect.poll(focused).toBe(second);

    await page.keyboard.press('Home');
    await page.locator('.popover.is-window > button').focus();
    await keyboard.press('Enter');
    await tabTo(/^Monday 15 July 2024|^Monday, 15 July 2024/);
    await keyboard.press('ArrowLeft');
    await keyboard.press('Enter');
    await keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});

/** Runs in the page: returns which parts of the header overlap, or leave the window. */
function overlapsInHeader(): readonly string[] {
  const parts = [
    ...document.querySelectorAll(
      '.brand, .tab, .tab-firing, .header-context select, .header-end > *',
    ),
  ];
  const name = (part: Element) => `${part.className} ${part.textContent?.slice(0, 20)}`;
  const box = (part: Element) => part.getBoundingClientRect();
  const outside = parts.filter((part) => box(part).right > document.body.clientWidth);
  const pairs = parts.flatMap((part, index) =>
    parts
      .slice(index + 1)
      .filter((other) => !part.contains(other) && isOver(box(part), box(other)))
      .map((other) => `${name(part)} and ${name(other)}`),
  );
  return [...outside.map(name), ...pairs];

  function isOver(a: DOMRect, b: DOMRect): boolean {
    return a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom && b.top < a.bottom;
  }
}

/** Returns a colour as the browser writes it. */
const rgb = (hex = ''): string =>
  `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(', ')})`;
