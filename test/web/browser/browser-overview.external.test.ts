import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exporter, hearExporters } from '../../support/lab/hear-exporters.ts';
import { guidOf } from '../../support/lab/lab.ts';
import { ADA, type TestService } from '../../support/lab/service.ts';
import { violations } from './axe-violations.ts';
import { type DashboardPage, type Opening, overflowOf } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { END, FLOWS, LIMITED, PLANT, startOverviewLab } from './overview-lab.ts';

type Listed = {
  readonly keys: readonly { readonly label: string; readonly metric: number }[];
};

type Answer = {
  readonly context: {
    readonly traffic: { readonly all: Listed; readonly into: Listed; readonly outOf: Listed };
    readonly cards: readonly { readonly topper: Listed }[];
  };
};

describeInBrowser('the overview in a browser', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startOverviewLab();
  }, 120_000);

  afterAll(() => lab?.close());

  const open = async (search = `?context=${FLOWS}&tz=UTC`, opening: Opening = {}) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: ADA, ...opening });
    return dashboard;
  };

  const card = (name: string) => dashboard.page.getByRole('region', { name, exact: true });
  const textOf = async (name: string) => (await card(name).innerText()).replace(/\s+/g, ' ');

  it('is what one sees first: exact traffic, by direction, and how it has changed', async () => {
    const { asked } = await open('');
    const { page } = dashboard;
    await expect.poll(() => textOf('Traffic')).toContain('50 % more than a day earlier');
    expect(await page.locator('h1').innerText()).toBe('Overview of flows');
    expect(page.url()).toContain(`?context=${FLOWS}&window=24h`);
    const traffic = await textOf('Traffic');
    // Not the sum of both ends, which is twice as much.
    expect(traffic).toMatch(/^Traffic 360 MB /);
    expect(traffic).toContain('(+120 MB on 240 MB)');
    expect(traffic).toContain('No comparison: nothing is stored for the time a week earlier');
    expect(traffic).toMatch(/Busiest 5 minutes 400 kbit\/s .*:00 – \d\d:05/);
    const chart = await textOf('Traffic over time');
    expect(chart).toContain('Into home 216 MB Within home and transit 72.0 MB Out of home 72.0 MB');
    const names = asked.map(({ operationName }) => operationName);
    expect(names.filter((name) => name === 'Overview')).toHaveLength(1);
    expect(await page.locator('.top-card h2').allInnerTexts()).toEqual([
      'Internal Hosts',
      'External Hosts',
      'Apps',
      'Host pairs',
      'Hosts × Apps',
      'Protocols',
    ]);
    // Of the traffic, not of the group's total, in which what stays within home counts twice.
    expect(await textOf('Internal Hosts')).toMatch(
      /2 keys · % of the traffic 10\.0\.0\.5 360 MB 100 % 10\.0\.1\.8 72\.0 MB 20\.0 %$/,
    );
  });

  it('leads from what has changed to the keys that did', async () => {
    const { page, settled, labels } = await open();
    await card('Traffic').getByRole('link', { name: 'What grew?' }).click();
    await settled();
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('rank'), searchParams.get('vs')]).toEqual(['growth', 'day']);
    expect((await labels()).length).toBeGreaterThan(0);
  });

  it('shows the figures of Top keys, and leads to them, and to the panel of a key', async () => {
    const { page, settled, labels, volumes } = await open();
    const shown = await card('Internal Hosts').locator('li a').allInnerTexts();
    const titles = await card('Internal Hosts')
      .locator('li .number[title]')
      .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('title')));
    await card('Internal Hosts').getByRole('link', { name: 'Internal Hosts' }).click();
    await settled();
    await expect.poll(labels).toEqual(shown);
    expect(await volumes()).toEqual(titles);
    expect(page.url()).toContain('window=24h');
    await page.goBack();
    await settled();
    await card('Host pairs').getByRole('link', { name: '10.0.0.5' }).first().click();
    await page.locator('#panel-title').waitFor();
    expect(page.url()).toContain('key=');
    await page.getByRole('link', { name: 'Overview' }).click();
    await card('Traffic').waitFor();
    expect(page.url()).not.toContain('group=');
  });

  it('sums the hosts that somebody sees who is limited to a network, and says so', async () => {
    await open('', { as: LIMITED });
    const name = 'Sum of the hosts that you see';
    await expect.poll(() => textOf(name)).toContain('50 % more than a day earlier');
    expect(await textOf(name)).toContain(`${name} 72.0 MB`);
    expect(await textOf('Traffic over time')).toContain('Received 0 B Sent 72.0 MB');
    expect(await card('External Hosts').count()).toBe(0);
    expect(await textOf('Internal Hosts')).toMatch(/1 key 10\.0\.1\.8 72\.0 MB$/);
  });

  it('is sensible where there are no flows, and leads to Add data where there is nothing', async () => {
    await open(`?context=${PLANT}&tz=UTC`);
    await expect.poll(() => textOf('Queues by Jobs')).toContain('Queues by Jobs 90');
    expect(await textOf('Queues')).toContain('% of the total mail 90 100 %');
    expect(await textOf('Racks')).toContain('rack 1 21');
    await lab.apply({ context: 'empty' });
    await lab.grant(ADA, ['empty']);
    await open('?context=empty');
    await dashboard.page.getByText('The context “empty” has no data yet').waitFor();
    await dashboard.page.getByText('Ask an editor of this context').waitFor();
  });

  it('is had elsewhere as it is shown: by GraphQL, curl, CSV, and a link to its time', async () => {
    const { page, settled } = await open();
    const labels = await page.locator('.top-card li a').allInnerTexts();
    await page.getByRole('button', { name: 'This view as …' }).click();
    const dialog = page.getByRole('dialog', { name: 'This view as' });
    const text = async (name: string) =>
      (await dialog.getByRole('region', { name, exact: true }).textContent()) ?? '';
    const answer = await lab.data<Answer>(await text('query'), JSON.parse(await text('variables')));
    const { all, into, outOf } = answer.context.traffic;
    expect(all.keys).toMatchObject([
      { metric: 360_000_024, first: { metric: 240_000_024 }, second: { metric: null } },
    ]);
    expect([into.keys[0]?.metric, outOf.keys[0]?.metric]).toEqual([216_000_000, 72_000_000]);
    const listed = answer.context.cards.flatMap(({ topper }) => topper.keys);
    expect(listed.map(({ label }) => label.replaceAll('\\', ' × ')).sort()).toEqual(
      labels.toSorted(),
    );

    await dialog.getByRole('radio', { name: 'curl' }).check();
    const env = { ...process.env, TOKEN: ADA.token };
    const { stdout } = await promisify(execFile)('sh', ['-c', await text('command')], { env });
    expect(JSON.parse(stdout).data).toEqual(answer);
    await dialog.getByRole('radio', { name: 'REST' }).check();
    await dialog.getByText('REST answers for one group at a time.').waitFor();
    await dialog.getByRole('radio', { name: 'CSV' }).check();
    const rows = (await text('table')).trim().split('\r\n');
    expect(rows[1]).toMatch(/^Aggregates,,,,Traffic,360000\d+,,1,Traffic,Total bytes,bytes,flows,/);
    expect(rows).toHaveLength(1 + 4 + listed.length);
    await dialog.getByRole('radio', { name: 'Link' }).check();
    await page.goto(await text('link to this time'));
    await settled();
    expect(await page.locator('.top-card li a').allInnerTexts()).toEqual(labels);
  });

  it('keeps a fixed time in another context that has data then, or else says that it has none', async () => {
    const other = () => dashboard.page.getByRole('combobox', { name: 'Context' });
    const none = () => dashboard.page.getByText(/^Nothing of plant is stored for .* newest data/);
    await open(`?context=${FLOWS}&window=${END - 600}-${END}&tz=UTC`);
    await other().selectOption(PLANT);
    await card('Queues').waitFor();
    expect(dashboard.page.url()).toContain(`window=${END - 600}-${END}`);
    expect(await none().count()).toBe(0);
    await open(`?context=${FLOWS}&window=${END - 7200}-${END - 3600}&tz=UTC`);
    await other().selectOption(PLANT);
    await card('Queues').waitFor();
    expect(dashboard.page.url()).toContain('window=24h');
    await none().waitFor();
    await dashboard.page.getByRole('link', { name: 'Storage' }).click();
    await expect.poll(() => none().count()).toBe(0);
  });

  it('has a chart for the keyboard and for those who do not see it', async () => {
    const { page, settled } = await open();
    await page.locator('.swatch.is-line').waitFor();
    await page.locator('.chart-place').focus();
    await page.keyboard.press('Home');
    const readout = page.locator('.readout');
    await expect.poll(() => readout.innerText()).toContain('Into home');
    expect((await readout.innerText()).replace(/\s+/g, ' ')).toMatch(
      /Together 400 kbit\/s A day earlier 267 kbit\/s/,
    );
    await page.getByText('These values as a table').click();
    const rows = page.locator('.chart-table tbody tr');
    await expect.poll(() => rows.count()).toBe(288);
    expect((await rows.first().innerText()).replace(/\s+/g, ' ')).toMatch(
      /12:00 – 12:05 240 kbit\/s/,
    );
    await page.locator('.chart-place').focus();
    for (const key of ['Home', 'Shift+ArrowRight', 'Shift+ArrowRight', 'Enter']) {
      await page.keyboard.press(key);
    }
    await settled();
    await expect.poll(() => page.url()).toContain(`window=${END - 86_400}-`);
  });

  it('follows the data if it is live, and says in its place what failed', async () => {
    const { page } = await open(`?context=${PLANT}&live=1&tz=UTC`);
    await page.locator('.is-live.is-open').waitFor();
    await lab.importSamples([{ group: guidOf(1), key: 'mail', ts: END, values: { 0: 9 } }], {
      context: PLANT,
    });
    await expect.poll(() => textOf('Queues by Jobs')).toContain('Queues by Jobs 99');
    await expect.poll(() => textOf('Queues')).toContain('mail 99');
    await page.route('**/graphql', async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const { cards } = body.data.context ?? {};
      if (!cards) return route.fulfill({ response });
      cards[0].topper = null;
      const errors = [{ message: 'Too slow', path: ['context', 'cards', 0, 'topper'] }];
      return route.fulfill({ response, json: { ...body, errors } });
    });
    await page.getByRole('button', { name: 'Reload' }).click();
    await card('Queues').getByText('Something went wrong').waitFor();
    expect(await textOf('Racks')).toContain('rack 1 21');
  });

  it('shows the traffic before the largest keys, which may fail by themselves', async () => {
    const { page, asked, forget } = await open();
    forget();
    let fail = () => {};
    const failing = new Promise<void>((resolve) => {
      fail = resolve;
    });
    await page.route('**/graphql', async (route) => {
      const { operationName } = route.request().postDataJSON();
      if (operationName === 'Overview') {
        const response = await route.fetch();
        // They are asked for once the traffic is there: at once, they would delay it.
        expect(asked.map((each) => each.operationName)).not.toContain('OverviewCards');
        return route.fulfill({ response });
      }
      if (operationName !== 'OverviewCards') return route.fallback();
      await failing;
      return route.fulfill({ status: 500, json: { errors: [{ message: 'Broken' }] } });
    });
    await page.reload();
    await expect.poll(() => textOf('Traffic')).toContain('50 % more than a day earlier');
    expect(await page.locator('.overview-cards.skeleton .card').count()).toBe(6);
    fail();
    await page.getByText('The largest keys are missing').waitFor();
    expect(await textOf('Traffic')).toContain('360 MB');
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).click();
    await card('Apps').waitFor();
  });

  it('says what fires, how fresh the data are, and which exporter is late or lossy', async () => {
    await lab.apply({
      context: PLANT,
      alerts: [
        { name: 'any queue', group: guidOf(1), when: { key_above: 1 } },
        { name: 'any job', group: guidOf(1), when: { total_above: 1 }, severity: 'critical' },
      ],
    });
    await lab.importSamples(
      // Nothing in between ends what had begun.
      [300, 3600].map((after) => ({
        group: guidOf(1),
        key: 'mail',
        ts: END + after,
        values: { 0: 30 },
      })),
      { context: PLANT },
    );
    await lab.decideAlertsNow();
    await hearExporters(lab.databaseUrl, {
      context: PLANT,
      exporters: [
        exporter('192.0.2.1', { lastSeen: new Date(), flows: 1000 }),
        exporter('192.0.2.2', { flows: 1000, lostFlows: 50, doubts: ['its clock is ahead'] }),
      ],
    });
    const { page, shoot } = await open(`?context=${PLANT}&tz=UTC`);
    await expect.poll(() => textOf('Status')).toMatch(/any job.*1 other exporter in order/);
    const status = await textOf('Status');
    expect(status).toMatch(/critical any job: All of Queues .* warning any queue: mail /);
    await expect
      .poll(() => textOf('Status'))
      .toMatch(/in this time: critical any job: All of Queues .* warning any queue: mail/);
    expect(status).toContain('Late: The newest data end');
    expect(status).toMatch(/192\.0\.2\.2: last heard \d+ \w+ ago; lost 50 .*its clock is ahead/);
    await shoot('overview-status');
    await card('Status').getByRole('link', { name: 'any job' }).first().click();
    await expect.poll(() => page.url()).toContain('view=alerts');
    expect(page.url()).toContain('alert=any+job');
  });

  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    it.each([390, 1280, 2560])('fits a window of %i px, without a fault of axe', async (width) => {
      const { page, shoot } = await open(undefined, { width, height: 900, colorScheme });
      await page.locator('.swatch.is-line').waitFor();
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(await violations(page)).toEqual([]);
      await shoot(`overview-${width}-${colorScheme}`);
    });
  });
});
