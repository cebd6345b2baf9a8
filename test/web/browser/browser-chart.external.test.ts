import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADA, type TestService } from '../../support/lab/service.ts';
import type { DashboardPage } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { HOSTS, hostName, SENSORS, startPageLab, TEN } from './page-lab.ts';

const viewOf = (more = '', group = HOSTS) =>
  `?context=lab&group=${group.slice(1, -1)}&meter=0&window=${TEN}-${TEN + 7200}${more}&tz=UTC`;

describeInBrowser('the chart of top keys', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startPageLab();
  }, 120_000);

  afterAll(() => lab?.close());

  const open = async (search: string) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: ADA });
    return dashboard;
  };

  const earlierKey = () => dashboard.page.locator('.chart-card .earlier-key');

  it('has the earlier window as a line, named in words, also for a single key', async () => {
    const { page, shoot } = await open(viewOf('&vs=day&key=0A.00.00.0A'));
    const named = /A day earlier: Sun 14 Jul 2024, 10:00 – 12:00/;
    await expect.poll(() => earlierKey().textContent()).toMatch(named);
    await expect.poll(() => page.locator('.panel .earlier-key').textContent()).toMatch(named);
    await page.locator('.chart-card .chart-place').focus();
    await page.keyboard.press('Home');
    const row = page.locator('.chart-card .readout-earlier');
    await expect.poll(() => row.textContent()).toMatch(/Sun 14 Jul 2024, 10:00 – 10:01/);
    // The lab has the same readings on both days.
    const total = await page.locator('.chart-card .readout-total .number').textContent();
    expect(await row.locator('.number').textContent()).toBe(total);
    await shoot('earlier');
  });

  it('says so if nothing, or only a part, of the earlier window is stored', async () => {
    const { page } = await open(viewOf('&vs=week'));
    await expect
      .poll(() => earlierKey().textContent())
      .toMatch(/^A week earlier: .*Nothing is stored/);
    const cut = `window=${TEN - 600}-${TEN + 7200}`;
    await page.goto(`${lab.url}/${viewOf('&vs=day').replace(/window=\d+-\d+/, cut)}`);
    await expect
      .poll(() => earlierKey().textContent())
      .toMatch(/A day earlier: .*Stored from Sun 14 Jul 2024, 10:00 on/);
    // A gap, with data before it: not all keys are new.
    await page.goto(`${lab.url}/${viewOf('')}`);
    await expect
      .poll(() => earlierKey().textContent())
      .toMatch(/Previous window: .*Nothing was counted, or nothing is stored/);
    expect(await page.locator('.top-table tbody .change').first().textContent()).toBe('–');
    expect(await page.locator('.table-foot').textContent()).toContain(
      'None of these keys was counted in',
    );
  });

  const drawn = () =>
    dashboard.page.evaluate<string>("document.querySelector('.chart-card canvas').toDataURL()");

  /** The chart once nothing more is added to it. */
  const drawnInFull = async () => {
    let last = '';
    const isSame = async () => {
      const former = last;
      last = await drawn();
      return last === former;
    };
    await expect.poll(isSame).toBe(true);
    return last;
  };

  const highlighted = () =>
    dashboard.page.locator('.top-table tbody .is-highlighted .key-link').allTextContents();

  const inLegend = (name: string | RegExp) =>
    dashboard.page.getByRole('list', { name: /^Keys in the chart/ }).getByRole('button', { name });

  const status = () => dashboard.page.locator('.chart-card [role=status]').textContent();

  it('highlights a key in chart, legend and table together', async () => {
    const { page } = await open(viewOf());
    await earlierKey().waitFor();
    const before = await drawnInFull();
    await inLegend(hostName(2)).hover();
    await expect.poll(highlighted).toEqual([hostName(2)]);
    await expect.poll(drawn).not.toBe(before);
    const row = page.locator('.top-table tbody tr').nth(4);
    await row.hover();
    await expect.poll(highlighted).toEqual(await row.locator('.key-link').allTextContents());
    const plot = page.locator('.chart-card .u-over');
    const { height = 0 } = (await plot.boundingBox()) ?? {};
    await plot.hover({ position: { x: 300, y: height - 3 } });
    await expect.poll(highlighted).toEqual([hostName(0)]);
    await page.mouse.move(0, 0);
    await expect.poll(highlighted).toEqual([]);
    await expect.poll(drawn).toBe(before);
  });

  it('draws one key alone, by click or keyboard, and all again', async () => {
    const { page, shoot } = await open(viewOf('&vs=day'));
    const plot = page.locator('.chart-card .u-over');
    const { height = 0 } = (await plot.boundingBox()) ?? {};
    await plot.click({ position: { x: 300, y: height - 3 } });
    await expect.poll(status).toBe(`Only ${hostName(0)} is drawn.`);
    expect(await inLegend(hostName(0)).getAttribute('aria-pressed')).toBe('true');
    await shoot('chart-alone');
    await inLegend(hostName(3)).focus();
    await page.keyboard.press('Enter');
    await expect.poll(status).toBe(`Only ${hostName(3)} is drawn.`);
    await page.locator('.chart-card .chart-place').focus();
    await page.keyboard.press('Home');
    const readout = page.locator('.chart-card .readout');
    await expect.poll(() => readout.locator('li').first().textContent()).toContain(hostName(3));
    expect(await readout.locator('.readout-total').count()).toBe(0);
    await inLegend(hostName(3)).focus();
    await page.keyboard.press('Enter');
    await expect.poll(status).toBe('');
  });

  it('is a stack, lines or shares, as the address says', async () => {
    const { page, shoot } = await open(viewOf());
    await earlierKey().waitFor();
    const stack = await drawnInFull();
    await page.getByRole('radio', { name: '100 %' }).check();
    expect(page.url()).toContain('chart=share');
    await page.locator('.chart-card .chart-place').focus();
    await page.keyboard.press('Home');
    const first = page.locator('.chart-card .readout li .number').first();
    await expect.poll(() => first.textContent()).toMatch(/^[\d.]+ %$/);
    await shoot('chart-shares');
    await page.getByRole('radio', { name: 'Lines' }).check();
    expect(page.url()).toContain('chart=lines');
    await shoot('chart-lines');
    await page.getByRole('radio', { name: 'Stacked' }).check();
    expect(page.url()).not.toContain('chart=');
    await page.mouse.move(0, 0);
    await page.getByRole('heading', { level: 1 }).click();
    await expect.poll(drawn).toBe(stack);
    await page.goto(`${lab.url}/${viewOf('', SENSORS)}`);
    await dashboard.settled();
    expect(await page.getByRole('radio', { name: 'Stacked' }).count()).toBe(0);
  });

  it('has others, or not, as the address says', async () => {
    const { page } = await open(viewOf());
    const others = () => page.getByRole('checkbox', { name: /^Others/ });
    expect(await others().isChecked()).toBe(true);
    expect(await page.locator('.chart-why').count()).toBe(0);
    expect(await inLegend(/^Others/).count()).toBe(1);
    await others().uncheck();
    expect(page.url()).toContain('others=off');
    await expect.poll(() => inLegend(/^Others/).count()).toBe(0);
    await others().check();
    expect(page.url()).toContain('others=on');
  });

  it('keeps the colour of a key when another one is hidden, and in the table', async () => {
    const { page, settled } = await open(viewOf());
    const colorOf = (index: number) =>
      page
        .locator('.top-table tbody tr')
        .filter({ has: page.getByRole('link', { name: hostName(index), exact: true }) })
        .locator('.swatch')
        .evaluate((swatch) => getComputedStyle(swatch).backgroundColor);
    const before = [await colorOf(1), await colorOf(5)];
    await page.getByRole('button', { name: `Hide ${hostName(0)} and rank again` }).click();
    await settled();
    await expect.poll(() => page.locator('.top-table tbody tr').count()).toBe(10);
    await page.locator('.chips').waitFor();
    await expect.poll(async () => [await colorOf(1), await colorOf(5)]).toEqual(before);
    const legend = await inLegend(hostName(5))
      .locator('.swatch')
      .evaluate((swatch) => getComputedStyle(swatch).backgroundColor);
    expect(legend).toBe(before[1]);
  });
});
