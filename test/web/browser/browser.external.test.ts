import { readFile } from 'node:fs/promises';
import { parse as parseCsv } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY } from '../../support/lab/lab.ts';
import { ADA, startTestService, type TestService } from '../../support/lab/service.ts';
import { type DashboardPage, holdRequests, type Looks } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { FORMULA_HOST, HOSTS, hostName, PAIRS, startPageLab, TEN } from './page-lab.ts';

const HOURS = `window=${TEN}-${TEN + 7200}`;
const HOSTS_VIEW = `?context=lab&group=${HOSTS.slice(1, -1)}&meter=0&${HOURS}&tz=UTC`;

describeInBrowser('the dashboard in a browser', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startPageLab();
  }, 120_000);

  afterAll(() => lab?.close());

  /** Opens the dashboard at this address, and signs in. */
  const open = async (search = HOSTS_VIEW, looks: Looks = {}) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: ADA, ...looks });
    return dashboard;
  };

  type Keys = { key: string; label: string; metric: number }[];

  const topOf = async (filter: object | null = null, maxItems = 10) => {
    const answer = await lab.data<{ context: { counterGroup: { topper: { keys: Keys } } } }>(
      `query Top($group: Guid!, $filter: KeyFilterInput, $from: EpochSeconds!, $to: EpochSeconds!, $n: Int!) {
        context(name: "lab") { counterGroup(guid: $group) {
          topper(filter: $filter, maxItems: $n, window: { interval: { from: $from, to: $to } }) {
            keys { key label metric } } } } }`,
      { group: HOSTS, filter, from: TEN, to: TEN + 7200, n: maxItems },
    );
    return answer.context.counterGroup.topper.keys;
  };

  const digits = (text: string) => text.replace(/\D/g, '');

  const showsTop = async ({ labels, volumes }: DashboardPage, keys: Keys) => {
    await expect.poll(labels).toEqual(keys.map(({ label }) => label));
    expect((await volumes()).map(digits)).toEqual(keys.map(({ metric }) => String(metric)));
  };

  it('rejects a wrong token, and says what to do', async () => {
    dashboard = await openAt(`${lab.url}/`);
    const { page } = dashboard;
    await page.getByLabel('User').fill('ada');
    await page.getByLabel('Token').fill('wrong');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.getByRole('alert').textContent())
      .toContain('The user or token is wrong');
    await dashboard.shoot('sign-in-refused');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('keeps the token nowhere, and is signed in in every tab until somebody signs out', async () => {
    dashboard = await openAt(`${lab.url}/`);
    await dashboard.signIn();
    const { page } = dashboard;
    const stored = 'JSON.stringify([sessionStorage, localStorage])';
    expect(await page.evaluate(stored)).not.toContain('ada-token');
    expect(await page.context().cookies()).toMatchObject([
      { name: 'countergraph_session', httpOnly: true, sameSite: 'Strict', expires: -1 },
    ]);
    expect(page.url()).not.toContain('ada');
    const tab = await page.context().newPage();
    await tab.goto(`${lab.url}/${HOSTS_VIEW}`);
    await tab.getByRole('button', { name: 'Sign out ada' }).click();
    await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await tab.getByLabel('User').inputValue()).toBe('ada');
    expect(await page.context().cookies()).toEqual([]);
    await tab.close();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('stays signed in when the browser is closed, if asked to', async () => {
    dashboard = await openAt(`${lab.url}/`);
    const { page } = dashboard;
    await page.getByLabel('Stay signed in for 30 days').check();
    await dashboard.signIn();
    const [cookie] = await page.context().cookies();
    const days = ((cookie?.expires ?? 0) - Date.now() / 1000) / 86_400;
    expect(days).toBeGreaterThan(29.9);
    await page.getByRole('button', { name: 'Sign out ada' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('shows the keys that GraphQL gives, in one request per view, by hash', async () => {
    const shown = await open();
    await showsTop(shown, await topOf());
    const names = shown.asked.map(({ operationName }) => operationName);
    // The line of the earlier window follows.
    expect(names.filter((name) => name !== 'Earlier')).toEqual(['SignIn', 'TopKeys', 'Alerts']);
    expect(
      shown.asked.every(({ query, documentId }) => !query && /^sha256:/.test(documentId)),
    ).toBe(true);
    await shown.shoot('top-light-1600');
  });

  it('works if only trusted documents are answered', async () => {
    const strict = await startTestService({
      databaseUrl: lab.databaseUrl,
      settings: { trustedOnly: true },
    });
    try {
      dashboard = await openAt(`${strict.url}/${HOSTS_VIEW}`, { as: ADA });
      await showsTop(dashboard, await topOf());
      await dashboard.page.locator('.key-link').first().click();
      await dashboard.page.getByRole('region', { name: 'By Hosts × Apps' }).waitFor();
      await dashboard.page.getByRole('link', { name: 'Storage' }).click();
      await dashboard.page.getByRole('region', { name: 'Pools' }).waitFor();
    } finally {
      await strict.close();
    }
  });

  it('says below the total what the meter counts', async () => {
    const { page } = await open();
    expect(await page.locator('.summary .summary-note').textContent()).toBe(
      'Bytes of both ends. Shares are of the total.',
    );
  });

  it('keeps all of a view in its address: a reload and a link show the same', async () => {
    const first = await open('?view=top');
    await first.page.getByRole('combobox', { name: 'Group' }).selectOption('Hosts');
    await first.page.getByRole('combobox', { name: 'Keys', exact: true }).selectOption('Top 20');
    await first.page.getByRole('button', { name: /^Time:/ }).click();
    await first.page.getByRole('button', { name: 'Last hour', exact: true }).click();
    await first.settled();
    const link = first.page.url();
    const labels = await first.labels();
    expect(labels).toHaveLength(14);
    expect(link).toMatch(/context=lab&group=.*&meter=0&window=1h&top=20&tz=Europe\/Berlin$/);
    await first.page.reload();
    await first.settled();
    expect(await first.labels()).toEqual(labels);
    await first.close();
    const second = await open(new URL(link).search);
    expect(await second.labels()).toEqual(labels);
    expect(second.page.url()).toBe(link);
  });

  it('filters by text, network and pattern, and hides a key and ranks again', async () => {
    const { page, settled, ...shown } = await open();
    const field = page.getByRole('combobox', { name: 'Filter Hosts' });
    for (const [typed, chip, filter] of [
      ['host-3', 'Text: host-3', { search: 'host-3' }],
      ['10.0.0.16/30', 'Network: 10.0.0.16/30', { cidr: ['10.0.0.16/30'] }],
      ['/^0A\\.00\\.00\\.1[0-3]$/', 'Pattern: ^0A', { match: '^0A\\.00\\.00\\.1[0-3]$' }],
      ['-/1/', 'Not pattern: 1', { exclude: '1' }],
      ['-10.0.0.12', 'Not address: 10.0.0.12', { excludeCidr: ['10.0.0.12'] }],
    ] as const) {
      await field.fill(typed);
      await field.press('Enter');
      await page.locator('.chip').filter({ hasText: chip }).waitFor();
      await settled();
      await showsTop({ page, settled, ...shown }, await topOf(filter));
      await page.locator('.chip .chip-remove').press('Delete');
      await settled();
    }
    const [largest] = await topOf();
    const hide = page.getByRole('button', { name: `Hide ${largest?.label} and rank again` });
    const release = await holdRequests(page);
    // The row stays until the answer is there, but is hidden only once.
    await hide.click();
    await page.locator('.chip').waitFor();
    await hide.click();
    expect(await page.locator('.chip').count()).toBe(1);
    release();
    await settled();
    await page.unroute('**/graphql');
    expect(page.url().match(/hide=/g)).toHaveLength(1);
    await showsTop({ page, settled, ...shown }, await topOf({ excludeKeys: [largest?.key] }));
    const second = (await topOf())[1]?.label;
    expect(await page.evaluate('document.activeElement.textContent')).toBe(second);
    await shown.shoot('hidden-key');
    await page.getByRole('button', { name: `Show ${largest?.label} again` }).click();
    await showsTop({ page, settled, ...shown }, await topOf());
  });

  it('zooms to the dragged time span, and goes back', async () => {
    const { page, settled, labels } = await open();
    const before = page.url();
    const { x, y, width, height } = (await page.locator('.u-over').boundingBox()) ?? NO_BOX;
    await page.mouse.move(x + width / 4, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await settled();
    const [, from, to] = /window=(\d+)-(\d+)/.exec(page.url()) ?? [];
    expect(Math.abs(Number(from) - (TEN + 1800))).toBeLessThanOrEqual(60);
    expect(Math.abs(Number(to) - (TEN + 3600))).toBeLessThanOrEqual(60);
    expect(await labels()).toHaveLength(10);
    await page.goBack();
    await settled();
    expect(page.url()).toBe(before);
  });

  it('accepts windows by name, by days of the calendar, and to the minute', async () => {
    const { page, settled, shoot } = await open();
    const choose = async (name: string | RegExp) => {
      await page.getByRole('button', { name: /^Time:/ }).click();
      await page.getByRole('button', { name }).click();
    };
    await choose('Everything');
    await settled();
    expect(page.url()).toContain('window=all');
    await choose(/14 July 2024/);
    await shoot('calendar');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await settled();
    expect(page.url()).toContain(`window=${TEN - DAY - 10 * 3600}-${TEN - 10 * 3600}`);
    await page.getByRole('button', { name: /^Time:/ }).click();
    await page.getByLabel('From', { exact: true }).fill('2024-07-15T11:00');
    await page.getByLabel('To', { exact: true }).fill('2024-07-15T11:30');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await settled();
    expect(page.url()).toContain(`window=${TEN + 3600}-${TEN + 5400}`);
  });

  it('opens a key with its series, attributes and drill-down; Escape closes it', async () => {
    const { page, settled, shoot } = await open();
    await page.getByRole('link', { name: hostName(0), exact: true }).click();
    const panel = page.getByRole('complementary');
    await panel.getByRole('region', { name: 'By Hosts × Apps' }).waitFor();
    await settled();
    expect(await panel.getByRole('heading', { level: 2 }).textContent()).toBe(hostName(0));
    expect(await panel.textContent()).toMatch(/the file server.*roomcellar/);
    expect(await panel.locator('.drilldown-key').allTextContents()).toEqual(['https', 'ssh']);
    await expect.poll(() => panel.locator('canvas').count()).toBe(1);
    await shoot('key-panel');
    await panel.getByRole('link', { name: 'https' }).click();
    await settled();
    await expect.poll(() => panel.getByRole('heading', { level: 2 }).textContent()).toBe('https');
    expect(await page.locator('h1').textContent()).toContain('Apps');
    await page.goBack();
    await settled();
    await page.getByRole('combobox', { name: 'Filter Hosts' }).fill('host');
    // The list of suggestions, what is typed, and the panel are left one by one.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('combobox', { name: 'Filter Hosts' }).inputValue()).toBe('');
    expect(await panel.count()).toBe(1);
    await page.keyboard.press('Escape');
    await expect.poll(() => panel.count()).toBe(0);
    expect(await page.evaluate('document.activeElement.textContent')).toBe(hostName(0));
  });

  it('shows slices on a time line with status and size, and pools with their space', async () => {
    const { page, shoot } = await open('?view=storage&context=lab');
    const bars = page.getByRole('list', { name: 'Slices of engine 0 over time' }).locator('li');
    expect(await bars.count()).toBe(3);
    const rows = page.getByRole('region', { name: 'Slices as a table' }).locator('tbody tr');
    expect(await rows.allTextContents()).toEqual([
      expect.stringMatching(/^slice-20240715-0000.*processing.*kB.*primary/),
      expect.stringMatching(/^slice-20240714-0000.*available.*kB.*primary/),
      expect.stringMatching(/^slice-20240713-0000.*archived.*archive \/archive\/1\.segments$/),
    ]);
    const pool = page.getByRole('meter', { name: 'Used space of oper' });
    expect(await pool.getAttribute('aria-valuetext')).toMatch(/% used, .* free$/);
    await shoot('storage-light-1600');
  });

  it('saves what is shown as CSV, with all digits and no formulas', async () => {
    const { page } = await open();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(/^lab-hosts-total-bytes-20240715t1000-.*\.csv$/);
    const text = await readFile(await file.path(), 'utf8');
    const rows: Record<string, string>[] = parseCsv(text, { columns: true });
    const keys = await topOf();
    expect(rows.slice(0, -1).map(({ key, metric }) => [key, metric])).toEqual(
      keys.map(({ key, metric }) => [key, String(metric)]),
    );
    expect(rows.at(-1)).toMatchObject({ key: 'OTHERS' });
    expect(rows[1]?.['label']).toBe(`'${FORMULA_HOST}`);
    expect(text.split('\r\n')).toHaveLength(rows.length + 2);
  });

  it('saves what is shown as a picture', async () => {
    const { page } = await open();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'Save as a picture' }).click();
    const bytes = await readFile(await (await saved).path());
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(bytes.readUInt32BE(16)).toBeGreaterThan(800);
  });

  it('gives a link to exactly this time, even for a moving window', async () => {
    const search = HOSTS_VIEW.replace(HOURS, 'window=1h');
    const { page } = await open(search);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'Copy a link' }).click();
    await page.getByText('copied').waitFor();
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    await page.context().clearPermissions();
    expect(new URL(link).searchParams.get('window')).toBe(`${TEN + 3600}-${TEN + 7200}`);
  });

  it('shows that link in the address bar if the browser refuses the clipboard', async () => {
    const { page } = await open(HOSTS_VIEW.replace(HOURS, 'window=1h'));
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('Write permission denied'));
    });
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'Copy a link' }).click();
    await page.getByText('now in the address bar').waitFor();
    expect(page.url()).toContain(`window=${TEN + 3600}-${TEN + 7200}`);
  });

  it('shows a pair by its parts, each with a link to its own panel', async () => {
    const search = `?context=lab&group=${PAIRS.slice(1, -1)}&${HOURS}&tz=UTC&key=0A.00.00.0A%5C01.BB`;
    const { page, settled } = await open(search);
    await settled();
    const parts = page.locator('.panel-parts a');
    await expect.poll(() => parts.allTextContents()).toEqual([hostName(0), 'https']);
    await parts.first().click();
    await settled();
    expect(await page.locator('h1').textContent()).toContain('Hosts');
  });
});

const NO_BOX = { x: 0, y: 0, width: 0, height: 0 };
