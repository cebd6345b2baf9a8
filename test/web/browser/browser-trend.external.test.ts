import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADA, type TestService } from '../../support/lab/service.ts';
import type { DashboardPage } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { HOSTS, hostKey, hostName, SENSORS, startPageLab, TEN } from './page-lab.ts';

const viewOf = (more = '', group = HOSTS) =>
  `?view=trend&context=lab&group=${group.slice(1, -1)}&meter=0&window=${TEN}-${TEN + 7200}${more}&tz=UTC`;

type Step = {
  readonly window: { readonly from: number };
  readonly keys: readonly { readonly rank: number; readonly label: string }[];
};

describeInBrowser('a trend in a browser', (openAt) => {
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
  const trendOf = async (every: number, items = 10): Promise<readonly Step[]> => {
    const answer = await lab.data<{ context: { counterGroup: { topperTrend: Step[] } } }>(
      `query Trend($group: Guid!, $window: TimeIntervalInput!, $every: Int!, $items: Int!) {
        context(name: "lab") { counterGroup(guid: $group) {
          topperTrend(every: $every, window: { interval: $window }, maxItems: $items) {
            window { from } keys { rank label } } } } }`,
      { group: HOSTS, window: { from: TEN, to: TEN + 7200 }, every, items },
    );
    return answer.context.counterGroup.topperTrend;
  };

  const cells = () => dashboard.page.locator('.heat-cells');

  /** The readout of the cell under the cursor. */
  const readout = () => dashboard.page.locator('.heat .readout').innerText();

  /** The drawn picture. */
  const drawn = () =>
    dashboard.page.evaluate<string>("document.querySelector('.heat-cells canvas').toDataURL()");

  it('shows the rank of each key in each step, as GraphQL gives it', async () => {
    const { page, shoot, asked } = await open(viewOf());
    const question = asked.findLast(({ operationName }) => operationName === 'Trend');
    expect(question?.variables).toMatchObject({ every: 120, items: 10 });
    expect(await page.locator('.trend-card h2').textContent()).toBe(
      'The top 10 of each step · 60 steps of 2 minutes',
    );
    const steps = await trendOf(120);
    const labels = await page.locator('.heat-labels li').allTextContents();
    // The largest of the whole window first.
    expect(labels.slice(0, 3)).toEqual([hostName(0), hostName(1), hostName(2)]);
    expect(labels.toSorted()).toEqual(
      [...new Set(steps.flatMap(({ keys }) => keys.map(({ label }) => label)))].sort(),
    );

    const box = await cells().boundingBox();
    const width = (box?.width ?? 0) / 60;
    for (const [row, column] of [
      [0, 0],
      [3, 17],
      [9, 58],
    ] as const) {
      await cells().hover({ position: { x: (column + 0.5) * width, y: row * 22 + 10 } });
      const listed = steps[column]?.keys.find(({ label }) => label === labels[row]);
      expect(await readout()).toContain(labels[row]);
      expect(await readout()).toMatch(
        listed ? new RegExp(`Rank\\s+${listed.rank}\\s`) : /not among the top 10/,
      );
    }
    await shoot('trend');
  });

  it('has colours by rank, or by share', async () => {
    const { page, settled } = await open(viewOf());
    const byRank = await drawn();
    await page.getByRole('radio', { name: 'Share' }).check();
    await settled();
    expect(page.url()).toContain('color=share');
    await expect.poll(drawn).not.toBe(byRank);
    await page.getByRole('radio', { name: 'Rank', exact: true }).check();
    await expect.poll(drawn).toBe(byRank);
    expect(page.url()).not.toContain('color=');
  });

  it('links by a click to the key in that step, and back', async () => {
    const { page, settled } = await open(viewOf('&step=10m'));
    const box = await cells().boundingBox();
    const width = (box?.width ?? 0) / 12;
    await cells().click({ position: { x: 2.5 * width, y: 10 } });
    await settled();
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('view')).toBeNull();
    expect(searchParams.get('window')).toBe(`${TEN + 1200}-${TEN + 1800}`);
    expect(searchParams.get('key')).toBe(hostKey(0));
    expect(await page.locator('#panel-title').textContent()).toBe(hostName(0));
    await page.goBack();
    await settled();
    await cells().waitFor();
    expect(page.url()).toContain('view=trend');
  });

  it('shows the readout of cells by keyboard, and opens them', async () => {
    const { page, settled } = await open(viewOf('&step=10m'));
    await cells().focus();
    await page.keyboard.press('ArrowDown');
    expect(await readout()).toMatch(/11:50 – 12:00/);
    await page.keyboard.press('Home');
    expect(await readout()).toMatch(/10:00 – 10:10/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    expect(await readout()).toMatch(/10:10 – 10:20/);
    const second = await page.locator('.heat-labels li').nth(1).textContent();
    expect(await readout()).toContain(second);
    await page.keyboard.press('Enter');
    await settled();
    expect(new URL(page.url()).searchParams.get('window')).toBe(`${TEN + 600}-${TEN + 1200}`);
    expect(await page.locator('#panel-title').textContent()).toBe(second);
  });

  it('can be a table, with a link for each key of each step', async () => {
    const { page, settled, shoot } = await open(viewOf('&step=1h'));
    await page.getByRole('radio', { name: 'Table' }).check();
    expect(page.url()).toContain('form=table');
    const steps = (await trendOf(3600)).toReversed();
    const rows = page.locator('.step-table tbody tr');
    expect(await rows.count()).toBe(2);
    for (const [index, { keys }] of steps.entries()) {
      expect(await rows.nth(index).locator('a').allTextContents()).toEqual(
        keys.map(({ label }) => label),
      );
    }
    await shoot('trend-table');
    await rows.nth(1).locator('a').nth(2).click();
    await settled();
    expect(new URL(page.url()).searchParams.get('window')).toBe(`${TEN}-${TEN + 3600}`);
    expect(await page.locator('#panel-title').textContent()).toBe(steps[1]?.keys[2]?.label);
  });

  it('keeps steps and number of keys in the address, and lists the ranks of each key', async () => {
    const { page, settled } = await open(viewOf());
    await page.getByRole('combobox', { name: 'Steps of' }).selectOption('1 hour');
    await settled();
    await page.getByRole('combobox', { name: 'Keys', exact: true }).selectOption('Top 20');
    await settled();
    expect(page.url()).toContain('top=20');
    expect(page.url()).toContain('step=1h');
    const keys = page.getByRole('region', { name: 'Keys', exact: true }).locator('tbody tr');
    expect(await keys.count()).toBe(14);
    expect(await keys.first().innerText()).toMatch(/host-0\.example\.com[\s\S]*1\.0[\s\S]*2 of 2/);
    await page.reload();
    await settled();
    expect(await page.locator('.trend-card h2').textContent()).toContain('2 steps of 1 hour');
  });

  it('accepts a filter, and says so if no key passes it or nothing is stored', async () => {
    const { page, settled } = await open(viewOf('&find=host-3'));
    expect(await page.locator('.heat-labels li').allTextContents()).toEqual([hostName(3)]);
    const matching = page.getByRole('region', { name: 'What passes the filter' });
    const [total = ''] = await page
      .locator('.trend-keys [data-name="Volume"] [title]')
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('title') ?? ''));
    expect(total).toMatch(/^[\d\s]+ bytes$/);
    expect(await matching.getByTitle(total).count()).toBe(1);
    expect(await page.getByText('Total of all').count()).toBe(1);
    await page.goto(`${lab.url}/${viewOf('&find=nobody')}`);
    await settled();
    expect(await page.locator('.notice').textContent()).toContain('No key passes the filter');
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await settled();
    expect(await page.locator('.heat-labels li').count()).toBeGreaterThan(10);
    await page.goto(`${lab.url}/${viewOf().replace(/window=\d+-\d+/, 'window=1000-2000')}`);
    await settled();
    expect(await page.locator('.notice').textContent()).toContain('No readings in this window');
  });

  it('leaves a key out, which its chip names, and has it again', async () => {
    const { page, settled } = await open(viewOf('&step=1h'));
    await page.getByRole('button', { name: `Hide ${hostName(2)} and rank again` }).click();
    await settled();
    const chips = page.getByRole('list', { name: 'Active filters' });
    await expect.poll(() => chips.textContent()).toContain(`Without ${hostName(2)}`);
    const names = () => page.locator('.heat-labels li').allTextContents();
    await expect.poll(names).not.toContain(hostName(2));
    await page.reload();
    await settled();
    await expect.poll(() => chips.textContent()).toContain(`Without ${hostName(2)}`);
    await page.getByRole('button', { name: `Show ${hostName(2)} again` }).click();
    await expect.poll(names).toContain(hostName(2));
  });

  it('says which lengths a step can have', async () => {
    const { page, settled } = await open(viewOf('&step=90s'));
    expect(await page.locator('.notice').textContent()).toContain(
      'must be a positive multiple of the bucket size, 60',
    );
    await page.getByRole('button', { name: 'Choose automatically' }).click();
    await settled();
    expect(page.url()).not.toContain('step=');
    expect(await page.locator('.heat-labels li').count()).toBeGreaterThan(10);
  });

  it('of a mean has ranks and no shares', async () => {
    const { page } = await open(viewOf('&step=1h', SENSORS));
    expect(await page.getByRole('radio', { name: 'Share' }).count()).toBe(0);
    await cells().focus();
    await page.keyboard.press('ArrowDown');
    expect(await readout()).toMatch(/rack 2[\s\S]*Mean/);
  });

  it('is saved as CSV', async () => {
    const { page } = await open(viewOf('&step=1h'));
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toBe('lab-hosts-total-bytes-trend-2024-07-15t10-00.csv');
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines).toHaveLength(1 + 2 * 10);
  });
});
