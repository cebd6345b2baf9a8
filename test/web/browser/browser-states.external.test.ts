import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY } from '../../support/lab/lab.ts';
import { ADA, type TestService } from '../../support/lab/service.ts';
import { type DashboardPage, holdRequests } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { BACKBONE, HOSTS, hostKey, NEVER, SENSORS, startPageLab, TEN } from './page-lab.ts';

const WINDOW = `window=${TEN}-${TEN + 7200}&tz=UTC`;

const viewOf = (group: string, more = WINDOW): string =>
  `?context=lab&group=${group.slice(1, -1)}&meter=0&${more}`;

describeInBrowser('the states of the dashboard', (openAt) => {
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

  const notice = () => dashboard.page.locator('.notice').textContent();

  /** Answers every request from now on with this. */
  const answerWith = (
    status: number,
    body: object,
    headers: Record<string, string> = {},
    path = 'graphql',
  ) =>
    dashboard.page.route(`**/${path}`, (route) =>
      route.fulfill({
        status,
        headers,
        contentType: 'application/json',
        body: JSON.stringify(body),
      }),
    );

  const problem = (message: string, code: string) => ({
    errors: [{ message, extensions: { code } }],
  });

  const loadAgain = () => dashboard.page.getByRole('button', { name: 'Reload' }).click();

  it('a window without readings offers the newest data', async () => {
    const { page, settled, labels } = await open(viewOf(HOSTS, 'window=1000-2000&tz=UTC'));
    expect(await notice()).toMatch(
      /No readings in this window.*Data is available from .*14 Jul 2024/,
    );
    await page.getByRole('button', { name: 'Show the newest data' }).click();
    await settled();
    expect(await labels()).toHaveLength(10);
  });

  it('a window without readings links to the time for which its group has data', async () => {
    // The sensors began a day later than the hosts, and ended four minutes earlier.
    const { page, settled, labels, shoot, asked } = await open(
      viewOf(SENSORS, 'window=1000-2000&tz=UTC'),
    );
    expect(await notice()).toMatch(/Data is available from .*15 Jul 2024.* to .*15 Jul 2024/);
    await shoot('empty');
    await page.getByRole('link', { name: /from .*15 Jul 2024/ }).click();
    await settled();
    expect(page.url()).toContain(`window=${TEN}-${TEN + 23 * 300 + 60}`);
    expect(await labels()).toEqual(['rack 2', 'rack 1']);
    await page.goBack();
    expect(await notice()).toContain('No readings in this window');
    await page.getByRole('button', { name: 'Show everything' }).click();
    await settled();
    expect(await labels()).toEqual(['rack 2', 'rack 1']);
    // The two hours of the group, of all days of the context.
    const last = asked.findLast(({ operationName }) => operationName === 'TopKeys');
    expect(last?.variables).toMatchObject({ window: { preset: 'ALL_AVAILABLE' }, step: 60 });
  });

  it('a window in an archived slice says how to restore it', async () => {
    const archived = TEN - 2 * DAY;
    const { asked } = await open(viewOf(HOSTS, `window=${archived}-${archived + 300}&tz=UTC`));
    expect(await notice()).toMatch(
      /data for this time is archived.*slices restore --context lab --slice slice-20240713-0000/,
    );
    const operations = asked.map(({ operationName }) => operationName);
    expect(operations).toEqual(['SignIn', 'TopKeys', 'Alerts']);
  });

  it('a filter that lets nothing through can be cleared', async () => {
    const { page, settled, labels } = await open(`${viewOf(HOSTS)}&find=nobody`);
    expect(await notice()).toContain('No key passes the filter');
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await settled();
    expect(await labels()).toHaveLength(10);
  });

  it('an invalid pattern is reported by the name of its field, and can be corrected', async () => {
    const { page, labels } = await open(`${viewOf(HOSTS)}&match=(`);
    expect(await notice()).toMatch(/filter “\(” cannot be used.*Pattern must be an RE2 pattern/);
    await page.getByRole('button', { name: /^Pattern: \( \(cannot be used\)/ }).click();
    const field = page.getByRole('combobox', { name: 'Filter Hosts' });
    expect(await field.inputValue()).toBe('/(/');
    await field.fill('/0A/');
    await field.press('Enter');
    await expect.poll(labels).toHaveLength(10);
  });

  it.each([
    ['meter', 'meter=77', 'Hosts has no meter 77', 'Show another meter'],
    ['probe', 'meter=0&probe=xx', 'no probe “xx”', 'Show all probes'],
  ])('an unknown %s leads to existing ones', async (_, search, title, action) => {
    const group = HOSTS.slice(1, -1);
    const { page, settled, labels } = await open(`?context=lab&group=${group}&${search}&${WINDOW}`);
    expect(await notice()).toContain(title);
    await page.getByRole('button', { name: action }).click();
    await settled();
    expect(await labels()).toHaveLength(10);
  });

  it('a group without any reading says so', async () => {
    const { page } = await open(viewOf(NEVER, 'window=all&tz=UTC'));
    expect(await notice()).toMatch(/No readings in this window.*Nothing is stored for this group/);
    // There is nothing to link to.
    expect(await page.locator('.notice').getByRole('button').count()).toBe(0);
    expect(await page.locator('.notice').getByRole('link').count()).toBe(0);
  });

  it('a probe without any reading leads to all probes', async () => {
    await lab.apply({ context: 'lab', probes: [{ id: 'idle' }] });
    const { page, settled, labels } = await open(`${viewOf(HOSTS)}&probe=idle`);
    expect(await notice()).toMatch(
      /Hosts has no readings of .* from the probe idle .*The probe has never sent any/,
    );
    await page.getByRole('button', { name: 'Show all probes' }).click();
    await settled();
    expect(await labels()).toHaveLength(10);
  });

  it('a gauge has lines and no volume, and says why', async () => {
    const { page, labels, shoot } = await open(viewOf(SENSORS));
    expect(await labels()).toEqual(['rack 2', 'rack 1']);
    expect(await page.locator('.chart-why').textContent()).toContain('do not add up');
    const heads = await page.locator('.top-table thead th').allTextContents();
    expect(heads).toContain('Mean');
    expect(heads).not.toContain('Volume');
    await shoot('gauge');
  });

  it('a key without partners leads to what there was at that time', async () => {
    const { page } = await open(`${viewOf(SENSORS)}&key=rack+2`);
    const { searchParams } = new URL(page.url());
    await page.getByRole('link', { name: 'the overview of this time' }).click();
    await page.getByRole('heading', { level: 1, name: /^Overview/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('window')).toBe(searchParams.get('window'));
  });

  it('values beyond 2^53 are shown in full', async () => {
    const { volumes } = await open(viewOf(BACKBONE));
    const [first = ''] = await volumes();
    expect(first.replace(/\D/g, '')).toBe(String((2n ** 53n + 1n) * 24n));
  });

  it('a context that does not exist, or is not granted, leads to one that is', async () => {
    const { page } = await open('?context=elsewhere&tz=UTC');
    expect(await notice()).toContain('no context “elsewhere”');
    expect(await page.locator('.is-alerts').textContent()).toBe('Alerts');
    await page.getByRole('button', { name: 'Show lab' }).click();
    await page.getByRole('region', { name: 'Apps', exact: true }).waitFor();
  });

  it('an unknown group leads to existing ones', async () => {
    const { page, settled, labels } = await open(
      '?context=lab&group=00000000-0000-4000-8000-000000000000&tz=UTC',
    );
    expect(await notice()).toContain('no such counter group');
    await page.getByRole('button', { name: 'Show an available group' }).click();
    await settled();
    expect(await labels()).not.toEqual([]);
  });

  it('a user without any context is told who can help, and finds what is granted', async () => {
    const newcomer = { username: 'newcomer', token: 'new-token' };
    await lab.apply({ context: 'office' });
    await lab.addUser(newcomer, []);
    dashboard = await openAt(`${lab.url}/`);
    const { page, settled, signIn } = dashboard;
    await signIn(newcomer);
    expect(await notice()).toContain(
      'grant one with npx countergraph user add newcomer --context NAME, then reload the page.',
    );
    const contexts = () => page.locator('.header-context option').allTextContents();
    await lab.grant(newcomer, ['lab']);
    const release = await holdRequests(page);
    await page.reload();
    await page.getByText('Loading …').waitFor();
    release();
    await settled();
    expect(await contexts()).toEqual(['lab']);
    await lab.grant(newcomer, ['office']);
    await loadAgain();
    await expect.poll(contexts).toEqual(['lab', 'office']);
    await page.locator('.header-context select').selectOption('office');
    await page.getByText('The context “office” has no data yet').waitFor();
  });

  it('a revoked token leads to signing in again, at the same address', async () => {
    const { page, labels, signIn } = await open(viewOf(HOSTS));
    const link = page.url();
    await lab.addUser({ username: 'bob', token: 'bob-token' }, ['lab']);
    await answerWith(401, problem('Invalid API token', 'UNAUTHENTICATED'));
    await loadAgain();
    await page.getByText('Your session has ended').waitFor();
    await page.unroute('**/graphql');
    await signIn({ username: 'bob', token: 'bob-token' });
    expect(page.url()).toBe(link);
    expect(await labels()).toHaveLength(10);
  });

  it('too many failed log-ins say how long to wait', async () => {
    dashboard = await openAt(`${lab.url}/`);
    const { page } = dashboard;
    const message = 'Too many failed log-ins, try again in 42 seconds';
    await answerWith(429, problem(message, 'LIMIT'), { 'retry-after': '42' }, 'session');
    await page.getByLabel('User').fill('ada');
    await page.getByLabel('Token').fill('wrong');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('alert').textContent()).toContain(message);
  });

  it('a busy server is asked again automatically', async () => {
    const { page, labels } = await open(viewOf(HOSTS));
    await answerWith(503, problem('Server is busy', 'BUSY'), { 'retry-after': '1' });
    await loadAgain();
    await page.getByText('The server is busy').waitFor();
    await page.unroute('**/graphql');
    await expect.poll(labels, { timeout: 20_000 }).toHaveLength(10);
  });

  it('a server that cannot be reached is reported as such, and asked again', async () => {
    const { page, labels } = await open(viewOf(HOSTS));
    await page.route('**/graphql', (route) => route.abort('connectionrefused'));
    await page.getByRole('combobox', { name: 'Group' }).selectOption('Sensors');
    await page.getByRole('heading', { name: 'The server cannot be reached' }).waitFor();
    expect((await notice())?.match(/cannot be reached/g)).toHaveLength(1);
    expect(await page.locator('.view > [role="status"]').textContent()).toBe('');
    await dashboard.shoot('unreachable');
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(labels).toHaveLength(2);
  });

  it('a dead node leads to the recovery node', async () => {
    const { page } = await open(viewOf(HOSTS));
    await page.route('**/graphql', (route) =>
      route.fulfill({
        contentType: 'application/json',
        body: JSON.stringify({
          data: {
            viewer: { username: 'ada', contexts: [{ name: 'lab' }], editableContexts: [] },
            context: null,
          },
          ...problem('Database is not reachable', 'BACKEND'),
        }),
      }),
    );
    await loadAgain();
    await page.getByText('The database does not answer').waitFor();
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Ask the recovery node' }).click();
    expect(page.url()).toContain('dr=1');
    await page.getByText('Context lab has no disaster-recovery node').waitFor();
    await page.getByRole('button', { name: 'Ask the primary' }).click();
    await expect.poll(() => page.locator('.top-table').count()).toBe(1);
  });

  /** Lets these parts of the group's answers fail from now on, by their paths. */
  const breakParts = (parts: Readonly<Record<string, readonly (string | number)[]>>) =>
    dashboard.page.route('**/graphql', async (route) => {
      const part = parts[route.request().postDataJSON().operationName];
      const response = await route.fetch();
      const body = await response.json();
      if (!part) return route.fulfill({ response });
      const path = ['context', 'counterGroup', ...part];
      const parent = path.slice(0, -1).reduce((value, step) => value[step], body.data);
      parent[path.at(-1) ?? ''] = null;
      const message = `The ${part.at(-1)} took longer than 60 seconds`;
      const errors = [{ message, path, extensions: { code: 'TIMEOUT' } }];
      return route.fulfill({ response, json: { ...body, errors } });
    });

  it('a part of an answer that failed says why in its place, and no total is wrong', async () => {
    const search = `${viewOf(HOSTS)}&hide=${hostKey(1)}&key=${hostKey(0)}`;
    const { page, settled, labels, shoot } = await open(search);
    const results = page.locator('.results');
    const share = page.locator('.facts .fact').filter({ hasText: 'Share' });
    expect(await results.locator('.summary-items').innerText()).toMatch(/Total\s+[\d.]/);
    expect(await share.innerText()).toContain('%');
    await breakParts({
      TopKeysWithout: ['hidden'],
      KeyPanel: ['topper', 'keys', 0, 'drilldowns', 0],
    });
    await page.reload();
    await settled();
    await shoot('parts-failed');
    expect(await labels()).toHaveLength(10);
    expect(await results.getByRole('alert').innerText()).toMatch(
      /hidden keys are missing.* no total and no share.*The hidden took longer/s,
    );
    expect(await page.locator('.chart').count()).toBe(2);
    expect(await results.locator('.summary-items').innerText()).toMatch(
      /Total\s+–\s+Average\s+–\s+Others\s+[\d.]/,
    );
    const shares = await page.locator('.top-table .is-share .number').allInnerTexts();
    expect(new Set(shares)).toEqual(new Set(['–']));
    expect(await share.innerText()).toMatch(/–/);
    const drilldown = page.getByRole('region', { name: 'By Hosts × Apps' });
    expect(await drilldown.getByRole('alert').innerText()).toContain('The 0 took longer');

    await page.unroute('**/graphql');
    await breakParts({ TopKeysWithout: ['chart'] });
    await results.getByRole('button', { name: 'Try again' }).click();
    await results.getByText('The chart is missing').waitFor();
    expect(await results.locator('.summary-items').innerText()).toMatch(/Total\s+[\d.]/);
  });

  it('is loaded again with the open panel, so that both are of the same window', async () => {
    const search = `${viewOf(HOSTS)}&hide=${hostKey(1)}`;
    const { page, settled, asked, forget } = await open(`${search}&key=${hostKey(0)}`);
    const names = () =>
      asked.flatMap(({ operationName: name }) => (/^(Key|Top)/.test(name) ? [name] : [])).sort();
    forget();
    await loadAgain();
    await settled();
    expect(names()).toEqual(['KeyPanel', 'TopKeysWithout']);
    forget();
    await page.locator('.top-table .key-link').nth(1).click();
    await settled();
    expect(names()).toEqual(['KeyPanel']);
  });

  it('an answer that comes too late is ignored', async () => {
    const { page, labels, settled } = await open(viewOf(HOSTS));
    let first = true;
    await page.route('**/graphql', async (route) => {
      const isFirst = first && route.request().postDataJSON().operationName === 'TopKeys';
      if (isFirst) first = false;
      // Waits until the page aborts the request, if it does.
      if (isFirst) await page.waitForEvent('requestfailed', { timeout: 20_000 });
      else await route.continue();
    });
    await page.getByRole('combobox', { name: 'Group' }).selectOption('Sensors');
    await page.locator('.results.is-stale').waitFor();
    expect(await labels()).toHaveLength(10);
    await page.getByRole('combobox', { name: 'Group' }).selectOption('Backbone');
    await settled();
    expect(await labels()).toEqual(['core', 'edge']);
  });
});
