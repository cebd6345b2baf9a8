import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { addUser } from '../../../access/users.ts';
import { CONTEXT, type TestService } from '../../support/lab/service.ts';
import { violations } from './axe-violations.ts';
import { type DashboardPage, type Opening, overflowOf } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { startPageLab } from './page-lab.ts';
import { BOSS, RITA, resetUsers } from './users-page-lab.ts';

const ADD = `?view=add&context=${CONTEXT}&tz=UTC`;

describeInBrowser('Add data in a browser', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startPageLab();
  }, 120_000);

  afterAll(() => lab?.close());

  beforeEach(async () => {
    await resetUsers(lab);
    await lab.sql('delete from feeds');
  });

  const open = async (search: string, opening: Opening = {}) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: BOSS, ...opening });
    return dashboard;
  };

  const hearExporter = () =>
    lab.sql(`
      with feed as (
        insert into feeds (feed_id, context_id, format, started_at, commits, flows, newest_us)
        select gen_random_uuid(), context_id, 'collect', now(), 1, 1200, 0 from contexts
        where name = '${CONTEXT}' returning feed_id
      )
      insert into exporters (feed_id, address, protocols, first_seen, last_seen, flows, lost_flows,
        lost_packets, lost_datagrams, refused, waiting_for_template, sampling_rates,
        clock_ahead_seconds, doubts)
      select feed_id, '192.0.2.1', '{netflow9}', now(), '2026-11-28T10:00:00Z', 1200, 0, 3, 0,
        '{"truncated": 2}', 1, '{100}', 7200, '{"its clock is 7,200 s ahead"}' from feed`);

  it('has the command to run, and lines for routers', async () => {
    const { page } = await open(ADD);
    await page.getByRole('heading', { name: 'Add data' }).waitFor();
    const command = page.getByRole('region', { name: 'the command' });
    expect(await command.textContent()).toMatch(
      new RegExp(`countergraph collect --context ${CONTEXT} --grant boss$`),
    );
    await page.getByRole('combobox', { name: 'Lines for' }).selectOption('Linux');
    expect(await page.getByRole('region', { name: 'the lines for Linux' }).textContent()).toBe(
      'softflowd -i eth0 -n HOST:2055 -v 9 -t maxlife=60',
    );
    await page.getByLabel('Address of the server').fill('2001:db8::1');
    expect(await page.getByRole('region', { name: 'the lines for Linux' }).textContent()).toBe(
      'softflowd -i eth0 -n [2001:db8::1]:2055 -v 9 -t maxlife=60',
    );
    await page.getByLabel('Add to the context').fill("Ada's lab");
    expect(await command.textContent()).toContain("--context 'Ada'\\''s lab' --grant boss");
  });

  it('shows the exporters that are heard, and what is doubtful, as they arrive', async () => {
    await lab.write((to) => addUser(to, { name: 'boss', contexts: [CONTEXT], role: 'editor' }));
    const { page } = await open(ADD);
    await page.getByText('None has been heard yet.').waitFor();
    await hearExporter();
    const table = page.getByRole('region', { name: 'Exporters' });
    await table.getByRole('rowheader', { name: '192.0.2.1' }).waitFor({ timeout: 15_000 });
    const text = await table.textContent();
    expect(text).toContain('NetFlow v9');
    expect(text).toContain('1 in 100');
    expect(text).toContain('Waiting for the template of their data: 1 datagram.');
    expect(text).toContain('Refused: 2 × shorter than it says.');
    expect(text).toContain('Doubtful: its clock is 7,200 s ahead.');
    await dashboard.shoot('add-data');
  });

  it('is offered to editors and administrators alone', async () => {
    const { page } = await open('?view=storage', { as: RITA });
    await page.getByRole('link', { name: 'Storage' }).waitFor();
    expect(await page.getByRole('link', { name: 'Add data' }).count()).toBe(0);
    await open(ADD, { as: RITA });
    await dashboard.page.getByText('You may not add data').waitFor();
  });

  it('is where an administrator without a context begins', async () => {
    const { page } = await open('');
    await page.getByRole('heading', { name: 'Add data' }).waitFor();
  });

  it.each([320, 390, 1280])('fits a window of %i px, without a fault of axe', async (width) => {
    await lab.write((to) => addUser(to, { name: 'boss', contexts: [CONTEXT], role: 'editor' }));
    await hearExporter();
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await open(ADD, { width, height: 900, colorScheme });
      await page.getByRole('rowheader', { name: '192.0.2.1' }).waitFor();
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(await violations(page)).toEqual([]);
      await dashboard.shoot(`add-data-${width}-${colorScheme}`);
    }
  });
});
