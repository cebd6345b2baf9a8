import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allDigits } from '../../../web/src/format/big-number.ts';
import { ADA, type TestService } from '../../support/lab/service.ts';
import type { DashboardPage } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { APPS, HOSTS, hostName, startPageLab, TEN } from './page-lab.ts';

const SPAN = { from: TEN + 13 * 60, to: TEN + 26 * 60 };

const viewOf = (more = '', group = HOSTS, { from, to } = SPAN) =>
  `?context=lab&group=${group.slice(1, -1)}&meter=0&window=${from}-${to}${more}&tz=UTC`;

const HOURS = { from: TEN, to: TEN + 7200 };

/** The hosts lie in 10.0.0.8/30 to 10.0.0.20/30. */
const BY_FOUR = { ipv4: 30, ipv6: 48 };

type Row = { readonly key: string; readonly label: string; readonly metric: number };

describeInBrowser('networks in a browser', (openAt) => {
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
  const topOf = async (asked: object): Promise<Row[]> => {
    const answer = await lab.data<{ context: { counterGroup: { topper: { keys: Row[] } } } }>(
      `query Networks($group: Guid!, $window: TimeIntervalInput!, $rankBy: RankBy! = METRIC, $prefix: PrefixInput, $filter: KeyFilterInput) {
        context(name: "lab") { counterGroup(guid: $group) {
          topper(window: { interval: $window }, maxItems: 10, rankBy: $rankBy, prefix: $prefix, filter: $filter) {
            keys { key label metric } } } } }`,
      { group: HOSTS, window: SPAN, ...asked },
    );
    return answer.context.counterGroup.topper.keys;
  };

  const labelsOf = (rows: readonly Row[]) => rows.map(({ label }) => label);

  const control = () => dashboard.page.getByRole('button', { name: /^Networks:/ });

  it('ranks networks of a usual length, or of any other, as GraphQL does', async () => {
    const { page, labels, settled, shoot } = await open(viewOf());
    expect(await control().textContent()).toBe('Networks: Off');
    await control().click();
    await page.getByRole('button', { name: 'Networks /24', exact: true }).click();
    await settled();
    expect(page.url()).toContain('prefix=24,48');
    expect(await labels()).toEqual(['10.0.0.0/24']);

    await control().click();
    await page.getByLabel('IPv4 length').fill('30');
    await shoot('networks-picker');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await settled();
    expect(page.url()).toContain('prefix=30,48');
    const networks = await topOf({ prefix: BY_FOUR });
    expect(networks).toHaveLength(4);
    expect(await labels()).toEqual(labelsOf(networks));
    expect(await dashboard.volumes()).toEqual(
      networks.map(({ metric }) => `${allDigits(metric)} bytes`),
    );
    expect(await control().textContent()).toBe('Networks: /30');
    expect(await page.locator('h1').textContent()).toContain('in networks /30');
    await shoot('networks');

    await page.goBack();
    await settled();
    expect(await labels()).toEqual(['10.0.0.0/24']);
    await control().click();
    await page.getByRole('button', { name: /^Off/ }).click();
    await settled();
    expect(page.url()).not.toContain('prefix');
    expect(await labels()).toHaveLength(10);
  });

  it('accepts no length that an address cannot have', async () => {
    const { page } = await open(viewOf());
    await control().click();
    await page.getByLabel('IPv4 length').fill('33');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    expect(await page.getByRole('dialog', { name: 'Networks' }).count()).toBe(1);
    expect(page.url()).not.toContain('prefix');
  });

  it('ranks networks by growth, within a network, and without hidden ones', async () => {
    const { page, labels, settled } = await open(viewOf('&prefix=30,48&rank=growth'));
    const grown = await topOf({ prefix: BY_FOUR, rankBy: 'GROWTH' });
    expect(grown.length).toBeGreaterThan(0);
    expect(await labels()).toEqual(labelsOf(grown));

    await page.goto(`${lab.url}/${viewOf('&prefix=30,48&cidr=10.0.0.8/29')}`);
    await settled();
    const filter = { cidr: ['10.0.0.8/29'] };
    expect(await labels()).toEqual(labelsOf(await topOf({ prefix: BY_FOUR, filter })));
    expect(await labels()).toHaveLength(2);

    const [first = ''] = await labels();
    await page.getByRole('button', { name: `Hide ${first} and rank again` }).click();
    await settled();
    expect(await labels()).toHaveLength(1);
    expect(await page.getByRole('list', { name: 'Active filters' }).textContent()).toContain(
      `Without ${first}`,
    );
  });

  it('compares networks with a day earlier', async () => {
    const { page, asked } = await open(viewOf('&prefix=30,48&vs=day'));
    const question = asked.findLast(({ operationName }) => operationName === 'TopKeys');
    expect(question?.variables).toMatchObject({ prefix: BY_FOUR, ago: 86_400 });
    // The day before was the same.
    expect(await page.locator('td[data-name="Change"]').allTextContents()).toEqual(
      Array.from({ length: 4 }, () => '0 %'),
    );
  });

  it('opens a network with the addresses within it, and links to all of them', async () => {
    const { page, labels, settled, shoot } = await open(viewOf('&prefix=30,48'));
    await page.getByRole('link', { name: '10.0.0.8/30', exact: true }).click();
    await settled();
    const panel = page.getByRole('complementary');
    expect(await panel.locator('#panel-title').textContent()).toBe('10.0.0.8/30');
    const within = panel.getByRole('region', { name: 'Addresses within' });
    const inside = await topOf({ filter: { cidr: ['10.0.0.8/30'] } });
    expect(inside).toHaveLength(2);
    expect(await within.locator('li a').allTextContents()).toEqual(labelsOf(inside));
    expect(await panel.locator('.facts').textContent()).toContain('Median');
    await shoot('network-panel');

    await within.getByRole('link', { name: 'Rank these addresses' }).click();
    await settled();
    expect(new URL(page.url()).searchParams.get('cidr')).toBe('10.0.0.8/30');
    expect(page.url()).not.toContain('prefix');
    expect(await labels()).toEqual(labelsOf(inside));

    await page.goBack();
    await settled();
    await within.getByRole('link', { name: 'networks /32' }).click();
    await settled();
    expect(page.url()).toContain('prefix=32,64');
    expect(await labels()).toEqual(['10.0.0.10/32', '10.0.0.11/32']);

    await page.goBack();
    await settled();
    await within.getByRole('link', { name: hostName(0) }).click();
    await settled();
    expect(await panel.locator('#panel-title').textContent()).toBe(hostName(0));
    expect(await panel.textContent()).toContain('the file server');
  });

  it('says so if a link names a network without readings', async () => {
    const { page } = await open(viewOf('&prefix=24&key=0B.00.00.00/18'));
    const panel = page.getByRole('complementary');
    expect(await panel.locator('#panel-title').textContent()).toBe('11.0.0.0/24');
    expect(await panel.textContent()).toContain('No readings of this key in this window');
  });

  it('goes live, and exports the lengths of the networks', async () => {
    const group = HOSTS.slice(1, -1);
    const { page, asked, labels } = await open(
      `?context=lab&group=${group}&meter=0&window=1h&tz=UTC&prefix=30,48&live=1`,
    );
    await expect
      .poll(() => asked.find(({ operationName }) => operationName === 'LiveTopKeys')?.variables)
      .toMatchObject({ prefix: BY_FOUR });
    await page.locator('.is-live.is-open').waitFor();
    expect(await labels()).toHaveLength(4);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    const file = await saved;
    expect(file.suggestedFilename()).toMatch(/^lab-hosts-total-bytes-30-20240715t1100/);
    expect(await readFile(await file.path(), 'utf8')).toContain(',metric,/30,');
  });

  it('is offered for addresses only, and says so if a link asks for it elsewhere', async () => {
    const { page, labels, settled } = await open(viewOf('&prefix=24', APPS, HOURS));
    expect(await page.locator('.notice').textContent()).toMatch(/Apps has no networks/);
    await page.getByRole('button', { name: 'Rank its keys' }).click();
    await settled();
    expect(page.url()).not.toContain('prefix');
    expect(await labels()).toEqual(['https', 'ssh']);
    expect(await control().count()).toBe(0);
  });

  it('forgets lengths and keys of one group in another', async () => {
    const { page, settled } = await open(viewOf('&prefix=24', HOSTS, HOURS));
    await page.getByRole('combobox', { name: 'Group' }).selectOption('Apps');
    await settled();
    expect(page.url()).not.toContain('prefix');
    expect(await page.locator('.notice').count()).toBe(0);
  });
});
