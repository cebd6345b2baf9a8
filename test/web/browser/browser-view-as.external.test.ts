import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allDigits } from '../../../web/src/format/big-number.ts';
import { ADA, type TestService } from '../../support/lab/service.ts';
import { violations } from './axe-violations.ts';
import { type DashboardPage, type Opening, overflowOf } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { HOSTS, hostKey, SENSORS, startPageLab, TEN } from './page-lab.ts';

const viewOf = (more: string, group = HOSTS) =>
  `?context=lab&group=${group.slice(1, -1)}&meter=0&window=${TEN}-${TEN + 7200}${more}&tz=UTC`;

type Topper = {
  readonly total: number | string;
  readonly others: number | string;
  readonly keys: readonly { key: string; label: string; metric: number | string }[];
};

type Answer = {
  readonly context: { readonly counterGroup: { topper: Topper; hidden?: Topper; chart: Topper } };
};

describeInBrowser('this view as …', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startPageLab();
  }, 120_000);

  afterAll(() => lab?.close());

  const open = async (search: string, opening: Opening = {}) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: ADA, ...opening });
    await dashboard.page.getByRole('button', { name: 'This view as …' }).click();
    return dashboard;
  };

  const dialog = () => dashboard.page.getByRole('dialog', { name: 'This view as' });
  const choose = (form: string) => dialog().getByRole('radio', { name: form }).check();
  const text = (name: string) => dialog().getByRole('region', { name, exact: true }).textContent();

  /** Runs a command as it is shown. */
  const run = async () => {
    const command = (await text('command')) ?? '';
    const env = { ...process.env, TOKEN: ADA.token };
    return (await promisify(execFile)('sh', ['-c', command], { env })).stdout;
  };

  const query = async <Data>() =>
    lab.data<Data>((await text('query')) ?? '', JSON.parse((await text('variables')) ?? ''));

  const labelsIn = ({ keys }: Pick<Topper, 'keys'>) => keys.map(({ label }) => label);

  const inRest = [
    '',
    '&top=20&others=off',
    `&hide=${hostKey(0)}&hide=${hostKey(3)}`,
    '&match=%5E0A.00.00.1',
    '&except=%5E0A.00.00.1',
    `&except=%5E0A.00.00.1&hide=${hostKey(0)}`,
    "&except=it's",
  ];

  const onlyInGraphQL = [
    '&rank=peak',
    '&rank=p50',
    '&rank=new&vs=week',
    '&prefix=30,60',
    '&cidr=10.0.0.8/29',
    '&find=host-1',
  ];

  it.each([...inRest, ...onlyInGraphQL])(
    'GraphQL, curl and CSV give what is shown: %s',
    async (more) => {
      const { labels, volumes } = await open(viewOf(more));
      const shown = await labels();
      const { context } = await query<Answer>();
      const { topper, hidden } = context.counterGroup;
      expect(labelsIn(topper)).toEqual(shown);
      expect(topper.keys.map(({ metric }) => `${allDigits(metric)} bytes`)).toEqual(
        await volumes(),
      );
      expect(hidden?.keys.length ?? 0).toBe(more.split('hide=').length - 1);

      await choose('curl');
      expect(JSON.parse(await run()).data).toEqual({ context });

      if (shown.length === 0) return;
      await choose('CSV');
      const rows = ((await text('table')) ?? '').trim().split('\r\n').slice(1, -1);
      expect(rows.map((row) => row.split(',')[4])).toEqual(
        topper.keys.map(({ metric }) => String(metric)),
      );
    },
  );

  it.each(inRest)('REST gives what is shown: %s', async (more) => {
    const { labels } = await open(viewOf(more));
    await choose('REST');
    const rest = JSON.parse(await run()) as Pick<Topper, 'keys'>;
    expect(labelsIn(rest)).toEqual(await labels());
    await choose('CSV');
    const [, ...rows] = (await run()).trim().split('\r\n');
    expect(rows).toHaveLength(rest.keys.length + 1);
  });

  it.each(onlyInGraphQL)('REST says why it cannot give the same: %s', async (more) => {
    await open(viewOf(more));
    await choose('REST');
    await dialog().getByText('GraphQL says the same as this view.').waitFor();
  });

  it.each(['24h', '3h', 'all', 'latest', 'yesterday'])(
    'has two links, and REST, of the window %s',
    async (window) => {
      const search = `?context=lab&group=${HOSTS.slice(1, -1)}&meter=0&window=${window}&tz=UTC`;
      if (window === 'yesterday') lab.clock.seconds = TEN + 86_400;
      const { labels, page, settled } = await open(search);
      const shown = await labels();
      const { context } = await query<Answer>();
      expect(labelsIn(context.counterGroup.topper)).toEqual(shown);
      await choose('REST');
      const rest = JSON.parse(await run()) as Pick<Topper, 'keys'>;
      expect(labelsIn(rest)).toEqual(shown);
      await choose('Link');
      expect(await text('link')).toContain(`window=${window}`);
      const fixed = (await text('link to this time')) ?? '';
      expect(fixed).toMatch(/window=\d+-\d+/);
      await page.goto(fixed);
      await settled();
      expect(await labels()).toEqual(shown);
    },
  );

  it('shows a trend, alerts and storage as GraphQL, whose answers are not empty', async () => {
    type Trend = {
      context: { counterGroup: { topperTrend: readonly Topper[]; whole: { keys: unknown[] } } };
    };
    await open(viewOf('&view=trend&top=20', SENSORS));
    const { context } = await query<Trend>();
    expect(context.counterGroup.topperTrend.flatMap(({ keys }) => keys).length).toBeGreaterThan(9);
    expect(context.counterGroup.whole.keys).toHaveLength(2);
    await choose('CSV');
    expect(await text('table')).toContain('rack 1');
    await open('?view=alerts&context=lab&tz=UTC');
    expect(await query()).toMatchObject({ context: { alertEvents: { edges: [] } } });
    await open('?view=storage&context=lab&tz=UTC');
    const slices = (await query<{ context: { slices: readonly object[] } }>()).context.slices;
    expect(slices.length).toBeGreaterThan(1);
    await choose('REST');
    expect(JSON.parse(await run()).slices).toHaveLength(slices.length);
  });

  it('opens in the explorer, signed in', async () => {
    const { page, signIn } = await openAt(`${lab.url}/${viewOf('&top=20')}`);
    await signIn();
    await page.getByRole('button', { name: 'This view as …' }).click();
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Open in the explorer' }).click();
    const explorer = await opened;
    await explorer.getByRole('button', { name: 'Execute query' }).click({ timeout: 60_000 });
    const answer = `monaco.editor.getModels().find(({ uri }) => uri.path.endsWith('response.json')).getValue()`;
    await expect.poll(() => explorer.evaluate<string>(answer)).toContain('"rank": 14');
    expect(explorer.url()).toBe(`${lab.url}/graphql`);
    await explorer.close();
  });

  it.each([390, 1280])('fits a window %i px wide, and is for everybody', async (width) => {
    const { page, shoot } = await open(viewOf(''), { width, height: 800, colorScheme: 'dark' });
    for (const form of ['curl', 'REST', 'CSV', 'Link', 'GraphQL']) {
      await choose(form);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(await violations(page)).toEqual([]);
    }
    await shoot(`view-as-${width}`);
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog().count()).toBe(0);
  });
});
