import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seriesColors } from '../../../web/src/chart/palette.ts';
import { ADA, type TestService } from '../../support/lab/service.ts';
import { inWindow, NOON, QUIET, startAlertsPageLab } from './alerts-page-lab.ts';
import { violations } from './axe-violations.ts';
import { type DashboardPage, type Looks, overflowOf } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { HOSTS, hostKey, hostName, SENSORS } from './page-lab.ts';

const bare = (guid: string): string => guid.slice(1, -1);

const WINDOW = `window=${NOON - 3 * 3600}-${NOON + 1800}&tz=UTC`;
const HOSTS_VIEW = `?context=lab&group=${bare(HOSTS)}&meter=0&${WINDOW}`;
const ALERTS_VIEW = '?view=alerts&context=lab&tz=UTC';

const VIEWS: readonly (readonly [name: string, search: string])[] = [
  ['alerts', ALERTS_VIEW],
  ['alerts-none', `?view=alerts&context=${QUIET}&tz=UTC`],
  ['alerts-chart', `${HOSTS_VIEW}&key=${hostKey(2)}`],
];

describeInBrowser('alerts in the dashboard', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startAlertsPageLab();
  }, 120_000);

  afterAll(() => lab?.close());

  const open = async (search: string, looks: Looks = {}) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: ADA, ...looks });
    return dashboard;
  };

  const tabOf = (page: Page) => page.getByRole('link', { name: /^Alerts/ });

  const tableOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  /** The table's rows, with bars between their cells. */
  const rowsOf = (page: Page, name: string) =>
    tableOf(page, name)
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) =>
          [...row.children].map((cell) => (cell as HTMLElement).innerText.trim()).join(' | '),
        ),
      );

  it('shows in every view how much is firing and how severe it is, and links to it', async () => {
    const { page, settled } = await open(HOSTS_VIEW);
    const tab = tabOf(page);
    await expect.poll(() => tab.textContent()).toBe('Alerts1 critical + 2');
    await page.getByRole('link', { name: 'Storage' }).click();
    await settled();
    expect(await tab.textContent()).toBe('Alerts1 critical + 2');
    expect(await tab.getAttribute('title')).toBe('3 alerts are firing, 1 of severity critical.');
    await tab.click();
    await settled();
    expect(await tab.getAttribute('aria-current')).toBe('page');
    expect(await page.title()).toBe('Alerts · lab · countergraph');
  });

  it('lists what is firing, worst first, the rules, and what has fired', async () => {
    const { page } = await open(ALERTS_VIEW);
    const host0 = `${hostName(0)} 10.0.0.10`;
    const host2 = `${hostName(2)} 10.0.0.12`;
    await expect.poll(() => rowsOf(page, 'Firing')).toHaveLength(3);
    const talker = 'any key of Hosts with Total bytes above 5.00 MB in 5 minutes';
    expect((await rowsOf(page, 'Firing')).map(plain)).toEqual([
      `critical | ${host2} moved 9.00 MB in 5 minutes; the rule allows 5.00 MB | Mon 15 Jul 2024, 12:15 | firing for 15 minutes | 15.0 MB | big talker | –`,
      'warning | All of Hosts moved 18.0 MB in 5 minutes; the rule allows 12.0 MB | Mon 15 Jul 2024, 12:20 | firing for 10 minutes | 18.0 MB | busy network | –',
      `info | ${host2} moved 9.00 MB in 5 minutes, more than 40.0 % of the total | Mon 15 Jul 2024, 12:15 | firing for 15 minutes | 15.0 MB | half of it | –`,
    ]);
    expect((await rowsOf(page, 'Rules')).map(plain)).toEqual([
      `critical | big talker A host that sends more than the backup | ${talker} | 1 firing evaluated up to Mon 15 Jul 2024, 12:25 | a file`,
      'warning | an hour | Hosts with Total bytes above 1 B in total in 1 hour | disabled | a file',
      'warning | busy network | Hosts with Total bytes above 12.0 MB in total in 5 minutes | 1 firing evaluated up to Mon 15 Jul 2024, 12:25 | a file',
      'warning | hot rack | any key of Sensors with Temperature above 29 celsius in 5 minutes | quiet | a file',
      'info | half of it | any key of Hosts with more than 40.0 % of all Total bytes in 5 minutes | 1 firing evaluated up to Mon 15 Jul 2024, 12:25 | a file',
    ]);
    const history = (await rowsOf(page, 'History')).map(plain);
    expect(history).toHaveLength(2);
    expect(history[0]).toBe(
      `critical | ${host0} moved 8.00 MB in 5 minutes; the rule allows 5.00 MB | Mon 15 Jul 2024, 12:05 | 10 minutes | 8.00 MB | big talker | –`,
    );
  });

  it('links from an event to its key, with its partners, in a window around the event', async () => {
    const { page, settled, labels } = await open(ALERTS_VIEW);
    await tableOf(page, 'History')
      .getByRole('link', { name: hostName(0) })
      .first()
      .click();
    await settled();
    expect(page.url()).toContain(`window=${NOON + 900 + 300 - 3 * 3600}-${NOON + 900 + 300}`);
    expect(page.url()).toContain(`key=${hostKey(0)}`);
    expect((await labels())[0]).toBe(hostName(0));
    const panel = page.getByRole('complementary');
    expect(await panel.getByRole('heading', { level: 2 }).textContent()).toBe(hostName(0));
    const chart = panel.locator('.panel-chart .chart-place');
    await expect
      .poll(() => chart.getAttribute('aria-label'))
      .toMatch(/Lines of alert rules: big talker\. \d events are marked\.$/);
    await panel.getByRole('region', { name: 'By Hosts × Apps' }).waitFor();
    await page.goBack();
    await settled();
    await tableOf(page, 'History').waitFor();
    expect(await page.title()).toContain('Alerts');
  });

  it('says where a key has partners, if its own group has none', async () => {
    const { page } = await open(`?context=lab&group=${bare(SENSORS)}&meter=0&${WINDOW}&key=rack+2`);
    const panel = page.getByRole('complementary');
    await expect
      .poll(() => panel.textContent())
      .toContain('nothing says whom this one communicated');
  });

  it('filters the history by a rule, and keeps the rule in the address', async () => {
    const { page, settled } = await open(ALERTS_VIEW);
    await page.getByRole('combobox', { name: 'Events of' }).selectOption('half of it');
    await settled();
    await expect.poll(() => rowsOf(page, 'History')).toHaveLength(1);
    expect(new URL(page.url()).searchParams.get('alert')).toBe('half of it');
    await page.reload();
    await settled();
    expect(await rowsOf(page, 'History')).toHaveLength(1);
    await tableOf(page, 'Rules').getByRole('link', { name: 'hot rack' }).click();
    await settled();
    await expect
      .poll(() => tableOf(page, 'History').textContent())
      .toContain('No event of hot rack has ended yet.');
    await page.getByRole('link', { name: 'Top keys' }).click();
    await settled();
    expect(page.url()).not.toContain('alert=');
  });

  it('pages back through the history, and returns to the newest events', async () => {
    await lab.sql(
      `insert into alert_events (event_id, alert_id, context_id, key, started_at, ended_at, value,
         peak_value)
       select gen_random_uuid(), alert_id, context_id, 'rack 1', $1::bigint - 300 * n,
         $1::bigint - 300 * n + 300, 30, 31
       from alerts cross join generate_series(1, 70) as n where name = 'hot rack'`,
      [NOON],
    );
    const { page, settled } = await open(`${ALERTS_VIEW}&alert=hot+rack`);
    await expect.poll(() => rowsOf(page, 'History')).toHaveLength(50);
    const newest = await rowsOf(page, 'History');
    await page.getByRole('link', { name: 'Older events' }).click();
    await settled();
    await expect.poll(() => rowsOf(page, 'History')).toHaveLength(20);
    const older = await rowsOf(page, 'History');
    expect(older.filter((row) => newest.includes(row))).toEqual([]);
    expect(await page.getByRole('link', { name: 'Older events' }).count()).toBe(0);
    await page.reload();
    await settled();
    expect(await rowsOf(page, 'History')).toEqual(older);
    await page.getByRole('link', { name: 'Newest events' }).click();
    await settled();
    await expect.poll(() => rowsOf(page, 'History')).toEqual(newest);
    await lab.sql(`delete from alert_events where key = 'rack 1'`);
  });

  it('says what to do if a link has an invalid position in the history', async () => {
    const { page, settled } = await open(`${ALERTS_VIEW}&after=nonsense`);
    await page.getByRole('button', { name: 'Show the newest events of all rules' }).click();
    await settled();
    await expect.poll(() => rowsOf(page, 'History')).toHaveLength(2);
  });

  it('says how to declare rules if there are none', async () => {
    const { page } = await open(`?view=alerts&context=${QUIET}`);
    const notice = page.locator('.notice');
    await expect.poll(() => notice.textContent()).toContain('has no alert rules yet');
    const declared = JSON.parse((await notice.locator('pre').textContent()) ?? '');
    await lab.apply(declared);
    await page.getByRole('button', { name: 'Reload' }).click();
    await expect.poll(() => rowsOf(page, 'Rules')).toHaveLength(1);
    expect(await tabOf(page).textContent()).toBe('Alertsnone firing');
    await lab.apply({ context: QUIET, alerts: [{ name: 'big talker', remove: true }] });
  });

  it('draws rules into the charts that they watch, and says which, or why not', async () => {
    const { page } = await open(HOSTS_VIEW);
    const chart = page.locator('.chart-card .chart-place');
    await expect
      .poll(() => chart.getAttribute('aria-label'))
      .toMatch(/ Lines of alert rules: busy network\. 5 events are marked\.$/);
    await expect.poll(() => pixelsOf(page, '.chart-card canvas', WARNING)).toBeGreaterThan(500);
    await page.getByRole('button', { name: '3 alert rules' }).click();
    const list = page.getByRole('dialog', { name: 'Alert rules of this chart' }).locator('li');
    expect((await list.allTextContents()).map(plain)).toEqual([
      'critical big talker: a key above 5.00 MB in 5 minutesNo line: it is about single keys; open a key to see it. 2 events are marked.',
      'warning busy network: the total above 12.0 MB in 5 minutesDrawn as a line. 1 event is marked.',
      'info half of it: a key above 40.0 % of the total in 5 minutesNo line: the chart has no such values. 2 events are marked.',
    ]);
    await page.keyboard.press('Escape');
    await chart.focus();
    await page.keyboard.press('Home');
    for (let i = 0; i < 36; i += 1) await page.keyboard.press('ArrowRight');
    await expect
      .poll(() => page.locator('.readout-event').allTextContents())
      .toEqual([`half of it began: ${hostName(0)}`, `big talker began: ${hostName(0)}`]);
  });

  it("draws a key's threshold into its own chart, and into one with a line per key", async () => {
    const { page, settled } = await open(`${HOSTS_VIEW}&key=${hostKey(2)}`);
    const own = page.locator('.panel-chart .chart-place');
    await expect
      .poll(() => own.getAttribute('aria-label'))
      .toMatch(/Lines of alert rules: big talker\. 3 events are marked\.$/);
    await expect.poll(() => pixelsOf(page, '.panel-chart canvas', CRITICAL)).toBeGreaterThan(100);
    await page.goto(`${lab.url}/?context=lab&group=${bare(SENSORS)}&meter=0&${WINDOW}`);
    await settled();
    await expect
      .poll(() => page.locator('.chart-card .chart-place').getAttribute('aria-label'))
      .toContain(' Lines of alert rules: hot rack.');
  });

  it('draws no line if the step of the chart differs from the window of the rule', async () => {
    const zoomed = `window=${NOON}-${NOON + 1800}&tz=UTC`;
    const { page } = await open(HOSTS_VIEW.replace(WINDOW, zoomed));
    await page.getByRole('button', { name: '3 alert rules' }).click();
    const list = page.getByRole('dialog', { name: 'Alert rules of this chart' }).locator('li');
    expect(await list.nth(1).textContent()).toContain(
      'No line: it needs a chart with one value per 5 minutes.',
    );
    expect(await pixelsOf(page, '.chart-card canvas', WARNING)).toBeLessThan(500);
  });

  it('asks again with each load, and says what may be outdated if that fails', async () => {
    const { page, settled, forget, asked, shoot } = await open(HOSTS_VIEW);
    await expect.poll(() => tabOf(page).textContent()).toBe('Alerts1 critical + 2');
    const all = () => asked.map(({ operationName }) => operationName).sort();
    const names = () => all().filter((name) => name !== 'Earlier');
    // The last request of the view: it sends no more by itself.
    await expect.poll(names).toContain('AlertMarks');
    forget();
    await page.getByRole('button', { name: 'Reload' }).click();
    await settled();
    await expect.poll(names).toEqual(['Alerts', 'TopKeys']);
    await page.route('**/graphql', (route) =>
      /"operationName":"Alerts"/.test(route.request().postData() ?? '')
        ? route.abort()
        : route.continue(),
    );
    await page.getByRole('button', { name: 'Reload' }).click();
    await expect.poll(() => tabOf(page).textContent()).toBe('Alerts1 critical + 2may be outdated');
    expect(await tabOf(page).getAttribute('title')).toContain('This may be outdated');
    await shoot('alerts-old');
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Reload' }).click();
    await expect.poll(() => tabOf(page).textContent()).toBe('Alerts1 critical + 2');
  });

  it.each(['light', 'dark'] as const)('is accessible in %s', async (colorScheme) => {
    const { page, settled, shoot } = await open(HOSTS_VIEW, { colorScheme });
    let checked = 0;
    const expectNone = async (name: string): Promise<void> => {
      // Every view in both colours and in both widths, and both colours in both widths.
      const width = (checked % 2 === 0) === (colorScheme === 'light') ? 1600 : 390;
      checked += 1;
      await page.setViewportSize({ width, height: 900 });
      await settled();
      expect(await violations(page), `${name}, ${width} px wide`).toEqual([]);
      await shoot(`${name}-${colorScheme}-${width}`);
    };
    for (const [name, search] of VIEWS) {
      await page.goto(`${lab.url}/${search}`);
      await settled();
      await expectNone(name);
    }
    await page.goto(`${lab.url}/${HOSTS_VIEW}`);
    await page.getByRole('button', { name: '3 alert rules' }).click();
    await expectNone('alerts-rules');
  });

  it('shows at once, if it is live, what begins and ends', async () => {
    const { page, settled, asked } = await open(`${ALERTS_VIEW}&window=1h`);
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    const streams = () => asked.filter(({ operationName }) => operationName === 'AlertChanges');
    await expect.poll(() => streams().length).toBe(1);
    expect(page.url()).toContain('live=1');
    const decide = async (n: number, values: readonly number[]) => {
      await lab.importSamples(inWindow(n, values));
      await lab.decideAlertsNow();
    };
    // Each makes the window before it due.
    await decide(7, [6_000_000, 6_000_000]);
    await expect.poll(() => tabOf(page).textContent()).toBe('Alertsnone firing');
    await expect.poll(() => rowsOf(page, 'Firing')).toEqual([]);
    await decide(8, [1]);
    await expect.poll(() => rowsOf(page, 'Firing')).toHaveLength(4);
    await expect.poll(() => rowsOf(page, 'History')).toHaveLength(5);
    await page.getByRole('link', { name: 'Storage' }).click();
    await settled();
    await decide(9, [1]);
    await expect.poll(() => tabOf(page).textContent()).toBe('Alerts1 info');
    expect(streams()).toHaveLength(1);
  });

  it('does not scroll sideways, whatever its width', async () => {
    const { page, settled } = await open(HOSTS_VIEW);
    for (const [name, search] of VIEWS) {
      await page.goto(`${lab.url}/${search}`);
      for (const width of [390, 720, 721, 860, 1100]) {
        await page.setViewportSize({ width, height: 900 });
        await settled();
        expect(await overflowOf(page), `${name}, ${width} px wide`).toBeLessThanOrEqual(0);
      }
    }
  });

  it('shows all columns, and the choice of a rule, however long the name of a rule is', async () => {
    const name = 'a rather long name of a rule '.repeat(4).trim();
    await lab.sql(`update alerts set name = $1 where name = 'half of it'`, [name]);
    const { page, settled } = await open(ALERTS_VIEW, { width: 1440, height: 900 });
    const hidden = (selector: string) =>
      page.locator(selector).evaluateAll((parts) =>
        parts.map((part) => {
          const card = part.closest('.card')?.getBoundingClientRect();
          return Math.ceil(part.getBoundingClientRect().right - (card?.right ?? 0));
        }),
      );
    await expect.poll(() => rowsOf(page, 'Rules')).toHaveLength(5);
    expect(Math.max(...(await hidden('.plain-table')))).toBeLessThanOrEqual(0);
    expect(await tableOf(page, 'Rules').getByRole('link', { name }).count()).toBe(1);
    for (const width of [320, 721, 1024]) {
      await page.setViewportSize({ width, height: 900 });
      await settled();
      expect(await hidden('.card select'), `${width} px wide`).toHaveLength(2);
      expect(Math.max(...(await hidden('.card select'))), `${width} px`).toBeLessThanOrEqual(0);
    }
  });
});

/** Replaces non-breaking spaces, and each run of spaces, by one space. */
const plain = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** Colours of rules in light charts, which no key has. */
const CRITICAL = '#b3261e';
const WARNING = '#a1410d';

/** How many pixels of a canvas have exactly this colour. */
function pixelsOf(page: Page, canvas: string, color: string | undefined): Promise<number> {
  expect(seriesColors('light')).not.toContain(color);
  return page.evaluate<number>(`(() => {
    const canvas = document.querySelector(${JSON.stringify(canvas)});
    const { width, height } = canvas;
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
    const wanted = parseInt(${JSON.stringify(color)}.slice(1), 16);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      if ((data[i] << 16 | data[i + 1] << 8 | data[i + 2]) === wanted) count += 1;
    }
    return count;
  })()`);
}
