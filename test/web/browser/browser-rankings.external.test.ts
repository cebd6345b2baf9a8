import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY } from '../../support/lab/lab.ts';
import { ADA, type TestService } from '../../support/lab/service.ts';
import type { DashboardPage } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { HOSTS, SENSORS, startPageLab, TEN } from './page-lab.ts';

type Span = { readonly from: number; readonly to: number };

const HOURS: Span = { from: TEN, to: TEN + 7200 };

/** Thirteen minutes: some hosts have more than in the thirteen before, and some less. */
const UNEVEN: Span = { from: TEN + 13 * 60, to: TEN + 26 * 60 };

/** Hours without data, after hours that were full of data. */
const SILENT: Span = { from: TEN - DAY + 7200, to: TEN - DAY + 2 * 7200 };

const viewOf = ({ from, to }: Span, more = '', group = HOSTS) =>
  `?context=lab&group=${group.slice(1, -1)}&meter=0&window=${from}-${to}${more}&tz=UTC`;

type Keys = { label: string; rankValue: number }[];

describeInBrowser('rankings in a browser', (openAt) => {
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

  /** What GraphQL answers. */
  const ranked = async (window: Span, ranking: object, group = HOSTS): Promise<Keys> => {
    const answer = await lab.data<{ context: { counterGroup: { topper: { keys: Keys } } } }>(
      `query Ranked($group: Guid!, $window: TimeIntervalInput!, $rankBy: RankBy!, $percentile: Float, $ago: Int) {
        context(name: "lab") { counterGroup(guid: $group) {
          topper(window: { interval: $window }, maxItems: 10, rankBy: $rankBy, percentile: $percentile, ago: $ago) {
            keys { label rankValue } } } } }`,
      { group, window, ...ranking },
    );
    return answer.context.counterGroup.topper.keys;
  };

  const labelsOf = (keys: Keys) => keys.map(({ label }) => label);

  const choose = async (name: string) => {
    const ranking = dashboard.page.getByRole('combobox', { name: 'Ranked by' });
    await ranking.selectOption(name);
    await dashboard.settled();
  };

  /** The head of the column that orders the rows, and the values in the column. */
  const orderedBy = async () => {
    const head = dashboard.page.locator('.top-table thead [aria-sort="descending"]');
    const cells = dashboard.page.locator('.top-table tbody .is-ranked');
    return [await head.textContent(), await cells.allTextContents()] as const;
  };

  it.each([
    ['Peak', 'peak', { rankBy: 'PEAK' }, 'Peak'],
    ['99th percentile', 'p99', { rankBy: 'PERCENTILE', percentile: 99 }, '99th perc.'],
    ['50th percentile', 'p50', { rankBy: 'PERCENTILE', percentile: 50 }, '50th perc.'],
  ])('ranks by %s, as GraphQL does', async (name, written, ranking, head) => {
    const { page, labels } = await open(viewOf(HOURS));
    await choose(name);
    expect(new URL(page.url()).searchParams.get('rank')).toBe(written);
    const keys = await ranked(HOURS, ranking);
    expect(await labels()).toEqual(labelsOf(keys));
    const [column, values] = await orderedBy();
    expect(column).toBe(head);
    // Bytes of five minutes, as bits per second.
    expect(values.map((text) => text.replace(/[^\d.kM]/g, ''))).toEqual(
      keys.map(({ rankValue }) => inDigits((rankValue * 8) / 300)),
    );
    expect(await page.locator('h1').textContent()).toContain(
      `ranked by ${name[0]?.toLowerCase()}${name.slice(1)}`,
    );
  });

  it.each([
    ['Growth', 'GROWTH', '+'],
    ['Decline', 'DECLINE', '\u2212'],
  ])('ranks by %s, with the difference, and says since when', async (name, rankBy, sign) => {
    const { page, labels } = await open(viewOf(UNEVEN));
    await choose(name);
    const keys = await ranked(UNEVEN, { rankBy });
    expect(keys.length).toBeGreaterThan(1);
    expect(await labels()).toEqual(labelsOf(keys));
    const [column, values] = await orderedBy();
    expect(column).toBe(name);
    expect(values.every((text) => text.startsWith(sign))).toBe(true);
    const digits = await page
      .locator('.top-table tbody .is-ranked [title]')
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('title') ?? ''));
    expect(digits.map((text) => Number(text.replace(/\D/g, '')))).toEqual(
      keys.map(({ rankValue }) => rankValue),
    );
    expect(await page.locator('.summary-note').first().textContent()).toMatch(/10:00 – 10:13/);
    await dashboard.shoot(`ranked-by-${rankBy.toLowerCase()}`);
  });

  it('compares with the same time as the column Change', async () => {
    const { page, labels, asked } = await open(viewOf(UNEVEN, '&rank=growth'));
    await page.getByRole('combobox', { name: 'Compared with' }).selectOption('A day earlier');
    await dashboard.settled();
    const question = asked.findLast(({ operationName }) => operationName === 'TopKeys');
    expect(question?.variables).toMatchObject({ rankBy: 'GROWTH', rankAgo: DAY, ago: DAY });
    const keys = await ranked(UNEVEN, { rankBy: 'GROWTH', ago: DAY });
    // The day before was the same: nothing has grown.
    expect(keys).toEqual([]);
    expect(await page.locator('.notice').textContent()).toMatch(
      /No key has grown.*has a higher value than in .*14 Jul.*10:13 – 10:26/,
    );
    await page.getByRole('button', { name: 'Rank by volume' }).click();
    await dashboard.settled();
    expect(await labels()).toHaveLength(10);
    expect(page.url()).not.toContain('rank=');
  });

  it('lists the keys that are new, and says that the earlier window is not stored', async () => {
    const first = { from: TEN - DAY, to: TEN - DAY + 600 };
    const { page, labels } = await open(viewOf(first, '&rank=new'));
    expect(await labels()).toEqual(labelsOf(await ranked(first, { rankBy: 'NEW' })));
    expect(await orderedBy()).toMatchObject(['Volume', { length: 10 }]);
    expect(await page.locator('.summary-note').first().textContent()).toMatch(
      /had none in .*Nothing is stored for that window, so there is nothing to compare with/,
    );
  });

  it('says that there are no new keys, and that the earlier window is partly stored', async () => {
    const from = TEN - DAY + 300;
    const { page } = await open(viewOf({ from, to: from + 600 }, '&rank=new'));
    expect(await page.locator('.notice').textContent()).toMatch(
      /There are no new keys.*That window is only partly stored, so the comparison is incomplete/,
    );
  });

  it('says that nothing is stored for the earlier window, instead of that no key declined', async () => {
    const first = { from: TEN - DAY, to: TEN - DAY + 600 };
    const { page } = await open(viewOf(first, '&rank=decline&vs=week'));
    const notice = page.locator('.notice');
    expect(await notice.textContent()).toMatch(
      /Nothing is stored for the earlier window.*so there is nothing to compare with/,
    );
    expect(await notice.textContent()).not.toContain('No key has declined');
  });

  it('lists keys that went silent, and links to what they did before', async () => {
    const { page, labels } = await open(viewOf(SILENT, '&rank=decline'));
    const keys = await ranked(SILENT, { rankBy: 'DECLINE' });
    expect(await labels()).toEqual(labelsOf(keys));
    await page.locator('.key-link').first().click();
    await dashboard.settled();
    const panel = page.getByRole('complementary');
    expect(await panel.textContent()).toContain('It had readings in the earlier window');
    await panel.getByRole('button', { name: /^Show .*10:00 – 12:00/ }).click();
    await dashboard.settled();
    expect(page.url()).toContain(`window=${TEN - DAY}-${TEN - DAY + 7200}`);
    expect(await panel.locator('.facts').textContent()).toContain('Volume');
  });

  it('keeps the ranking in the address: links, back and forward lead to it', async () => {
    const { page, labels, settled } = await open(viewOf(UNEVEN));
    const usual = await labels();
    await choose('Growth');
    const grown = await labels();
    expect(grown).not.toEqual(usual);
    await page.goBack();
    await settled();
    expect(await labels()).toEqual(usual);
    await page.goForward();
    await settled();
    expect(await labels()).toEqual(grown);
    await page.reload();
    await settled();
    expect(await labels()).toEqual(grown);
    const chosen = page.getByRole('combobox', { name: 'Ranked by' }).locator('option:checked');
    expect(await chosen.textContent()).toBe('Growth');
  });

  it('accepts a percentile that is not offered, but no impossible one', async () => {
    const { page, labels, settled } = await open(viewOf(HOURS, '&rank=p99.9'));
    const chosen = page.getByRole('combobox', { name: 'Ranked by' }).locator('option:checked');
    expect(await chosen.textContent()).toBe('99.9th percentile');
    await page.goto(`${lab.url}/${viewOf(HOURS, '&rank=p101')}`);
    await settled();
    expect(await chosen.textContent()).toBe('Volume');
    expect(await labels()).toHaveLength(10);
  });

  it('hides a key of a ranking, and filters the ranking', async () => {
    const { page, labels, settled } = await open(viewOf(HOURS, '&rank=peak'));
    const [first = '', ...others] = await labels();
    await page.getByRole('button', { name: `Hide ${first} and rank again` }).click();
    await settled();
    expect((await labels()).slice(0, 9)).toEqual(others);
    await page.goto(`${lab.url}/${viewOf(HOURS, '&rank=peak&find=host-3')}`);
    await settled();
    expect(await labels()).toEqual(['host-3.example.com']);
  });

  it('ranks a mean by its peak and by growth, in its unit', async () => {
    const span = { from: TEN + 300, to: TEN + 1500 };
    const { labels } = await open(viewOf(span, '&rank=peak', SENSORS));
    expect(await labels()).toEqual(labelsOf(await ranked(span, { rankBy: 'PEAK' }, SENSORS)));
    await choose('Growth');
    const keys = await ranked(span, { rankBy: 'GROWTH' }, SENSORS);
    expect(await labels()).toEqual(labelsOf(keys));
    expect(keys.length).toBeGreaterThan(0);
  });

  it('goes live with a ranking, and requests it in its stream', async () => {
    const group = HOSTS.slice(1, -1);
    const { page, asked, labels } = await open(
      `?context=lab&group=${group}&meter=0&window=1h&tz=UTC&rank=p99&live=1`,
    );
    await expect
      .poll(() => asked.find(({ operationName }) => operationName === 'LiveTopKeys')?.variables)
      .toMatchObject({ rankBy: 'PERCENTILE', percentile: 99, shownPercentile: 99, rankAgo: null });
    await page.locator('.is-live.is-open').waitFor();
    const last = { from: TEN + 3600, to: TEN + 7200 };
    const keys = await ranked(last, { rankBy: 'PERCENTILE', percentile: 99 });
    expect(await labels()).toEqual(labelsOf(keys));
  });
});

/** Three digits and a prefix. */
const inDigits = (value: number): string =>
  value < 999_500 ? `${threeDigits(value / 1e3)}k` : `${threeDigits(value / 1e6)}M`;

const threeDigits = (value: number): string =>
  value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
