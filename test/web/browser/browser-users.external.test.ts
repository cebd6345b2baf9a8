import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { addUser } from '../../../access/users.ts';
import { CONTEXT, type TestService } from '../../support/lab/service.ts';
import { violations } from './axe-violations.ts';
import type { DashboardPage, Opening } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { startPageLab } from './page-lab.ts';
import { BOSS, RITA, resetUsers, USERS } from './users-page-lab.ts';

describeInBrowser('users in a browser', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startPageLab();
  }, 120_000);

  afterAll(() => lab?.close());

  beforeEach(() => resetUsers(lab));

  const open = async (search = USERS, opening: Opening = {}) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: BOSS, ...opening });
    return dashboard;
  };

  const region = (name: string) => dashboard.page.getByRole('region', { name, exact: true });
  const button = (name: string | RegExp) =>
    dashboard.page.getByRole('button', { name, exact: true });
  const panel = () => dashboard.page.getByRole('complementary');
  const dialog = () => dashboard.page.getByRole('dialog');
  const focused = () =>
    dashboard.page.evaluate<string>(
      'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent',
    );
  const rowsOf = async (name: string) =>
    (await region(name).locator('tbody tr').allInnerTexts()).map((text) =>
      text.replace(/\s+/g, ' ').trim(),
    );

  it('are behind a link that only administrators see', async () => {
    const { page, settled } = await open('?context=lab', { as: RITA });
    const tab = page.getByRole('link', { name: 'Users', exact: true });
    expect(await tab.count()).toBe(0);
    await page.goto(`${lab.url}/${USERS}`);
    await settled();
    const notice = page.getByRole('status').filter({ hasText: 'administrator' });
    expect(await notice.innerText()).toContain('user add rita --admin');
    expect(await page.getByText('ops').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await dashboard.close();

    await open('?context=lab', { as: BOSS });
    await tabOf().click();
    await dashboard.settled();
    expect(dashboard.page.url()).toContain('view=users');
    expect(await dashboard.page.title()).toContain('Users');
  });

  const tabOf = () => dashboard.page.getByRole('link', { name: 'Users', exact: true });

  it('are listed with what is granted to them, and can be searched', async () => {
    const { page, shoot } = await open();
    expect(await rowsOf('Users and groups')).toEqual([
      'ada user lab reader',
      'boss administrator none',
      'ops group lab editor',
      expect.stringMatching(
        /^rita Rita R. user lab reader, only networks 10.0.0.0\/8, 2001:db8::\/32, and only probe west, and only counter group \S+$/,
      ),
    ]);
    expect(await violations(page)).toEqual([]);
    await shoot('users');
    await page.getByLabel('Search').fill('RITA');
    await expect.poll(async () => (await rowsOf('Users and groups')).length).toBe(1);
    await page.getByLabel('Search').fill('');
    await page.getByRole('combobox', { name: 'Show' }).selectOption('groups');
    await expect.poll(() => rowsOf('Users and groups')).toEqual(['ops group lab editor']);
    await page.getByLabel('Search').fill('rita');
    await region('Users and groups').getByText('No user or group matches.').waitFor();
  });

  it('are listed up to a number, and found beyond it', async () => {
    await lab.sql(
      `insert into users (username) select 'user ' || n from generate_series(1, 200) n`,
    );
    const { page } = await open();
    expect(await rowsOf('Users and groups')).toHaveLength(200);
    await page.getByText('The first 200 are listed.').waitFor();
    await page.getByLabel('Search').fill('user 99');
    await expect.poll(() => rowsOf('Users and groups')).toEqual(['user 99 user none']);
    expect(await page.getByText('The first 200 are listed.').count()).toBe(0);
  });

  it('names counter groups where the administrator may read the context, too', async () => {
    await lab.write((to) => addUser(to, { name: 'boss', contexts: [CONTEXT] }));
    await open();
    expect((await rowsOf('Users and groups')).at(-1)).toMatch(/only counter group Hosts$/);
  });

  it('are added, get a grant and a token, and are removed', async () => {
    await lab.write((to) => addUser(to, { name: 'boss', contexts: [CONTEXT] }));
    const { page, settled, shoot } = await open();
    await button('Add a user').click();
    await dialog().getByLabel('Name').fill('rita');
    await dialog().getByRole('button', { name: 'Add' }).click();
    await dialog().getByText('There is a user rita already').waitFor();
    expect(await dialog().getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
    expect(await violations(page)).toEqual([]);
    await shoot('users-add');
    await dialog().getByLabel('Name').fill('zoe');
    await dialog().getByRole('button', { name: 'Add' }).click();
    await page.getByRole('heading', { name: 'zoe' }).waitFor();
    await settled();
    expect(page.url()).toContain('user=zoe');
    expect(await rowsOf('Users and groups')).toContain('zoe user none');

    await button('Grant a context').click();
    const form = page.getByRole('form', { name: 'New grant' });
    await form.getByLabel('Context').fill('vault');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('There is no context vault').waitFor();
    expect(await form.getByLabel('Context').getAttribute('aria-invalid')).toBe('true');
    await form.getByLabel('Context').fill('lab');
    await form.getByLabel('editor').check();
    await form.getByLabel('Only networks').fill('10.1.0.0/16, 10.2');
    await form.getByLabel('Only counter groups').fill('hosts, Hosts × Apps');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('A network must be in CIDR form').waitFor();
    expect(await form.getByLabel('Only networks').getAttribute('aria-invalid')).toBe('true');
    expect(await form.getByLabel('Context').getAttribute('aria-invalid')).toBe('false');
    expect(await violations(page)).toEqual([]);
    await shoot('users-grant');
    await form.getByLabel('Only networks').fill('10.1.0.0/16');
    await form.getByLabel('Only counter groups').fill('Hosst');
    await form.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(() => form.getByLabel('Only counter groups').getAttribute('aria-invalid'))
      .toBe('true');
    await shoot('users-group-refused');
    await form.getByLabel('Only counter groups').fill('Hosts, Hosts × Apps');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await settled();
    const words = 'only network 10.1.0.0/16, and only counter groups Hosts, Hosts × Apps';
    await expect.poll(() => rowsOf('Users and groups')).toContain(`zoe user lab editor, ${words}`);

    await button('Change the grant of lab').click();
    const change = page.getByRole('form', { name: 'Grant of lab' });
    expect(await change.getByLabel('Only counter groups').inputValue()).toBe('Hosts, Hosts × Apps');
    await change.getByLabel('reader').check();
    await change.getByLabel('Only counter groups').fill('');
    await change.getByRole('button', { name: 'Save' }).click();
    await change.waitFor({ state: 'detached' });
    await expect
      .poll(() => rowsOf('Users and groups'))
      .toContain('zoe user lab reader, only network 10.1.0.0/16');

    await button('Revoke lab').click();
    await dialog().getByText('zoe loses what this grant allows').waitFor();
    await dialog().getByRole('button', { name: 'Revoke lab' }).click();
    await expect.poll(() => rowsOf('Users and groups')).toContain('zoe user none');

    await button('Remove zoe').click();
    await dialog().getByRole('heading', { name: 'Remove the user zoe?' }).waitFor();
    await shoot('users-remove');
    expect(await violations(page)).toEqual([]);
    await dialog().getByRole('button', { name: 'Remove zoe' }).click();
    await panel().waitFor({ state: 'detached' });
    await expect.poll(() => rowsOf('Users and groups')).toHaveLength(4);
    await expect.poll(focused).toBe('Users');
  });

  it('get tokens that are shown once, and lose them', async () => {
    const { page, settled, shoot } = await open(`${USERS}&user=rita`);
    const tokens = region('Tokens');
    expect(await tokens.innerText()).toMatch(/default\s+Made .*\s+Never expires\s+Never used/);
    await button('Make a token').click();
    const form = page.getByRole('form', { name: 'New token' });
    await form.getByLabel('Name').fill('default');
    await form.getByRole('button', { name: 'Make' }).click();
    await form.getByText('User rita has a token default already').waitFor();
    await form.getByLabel('Name').fill('grafana');
    await form.getByLabel('Expires').fill('2001-01-01');
    await form.getByRole('button', { name: 'Make' }).click();
    await form.getByText('A token must expire in the future').waitFor();
    expect(await form.getByLabel('Expires').getAttribute('aria-invalid')).toBe('true');
    await form.getByLabel('Expires').fill('2099-12-31');
    await form.getByRole('button', { name: 'Make' }).click();
    const made = page.getByRole('group', { name: 'Token grafana' });
    await made.getByText('It is not shown again').waitFor();
    const token = await made.getByLabel('Token grafana').inputValue();
    expect(await violations(page)).toEqual([]);
    await shoot('users-token');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await made.getByRole('button', { name: 'Copy' }).click();
    await made.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token);
    const viewer = '{ viewer { username } }';
    const as = { username: 'rita', token };
    expect(await lab.data(viewer, {}, as)).toEqual({ viewer: { username: 'rita' } });
    await made.getByRole('button', { name: 'Done' }).click();
    await expect.poll(focused).toBe('Make a token');
    await settled();
    expect(await page.content()).not.toContain(token);
    expect(await tokens.innerText()).toMatch(/grafana[\s\S]*Expires Thu 31 Dec 2099, 00:00/);

    await button('Revoke token grafana').click();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(focused).toBe('Revoke token grafana');
    await button('Revoke token grafana').click();
    await dialog().getByRole('button', { name: 'Revoke token grafana' }).click();
    await expect.poll(() => tokens.innerText()).not.toContain('grafana');
    await expect.poll(focused).toBe('rita');
    await expect(lab.data(viewer, {}, as)).rejects.toThrow();
  });

  it('lose their sessions', async () => {
    const body = JSON.stringify(RITA);
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    await lab.call('/session', { method: 'POST', headers, body });
    await open(`${USERS}&user=rita`);
    const sessions = region('Sessions');
    expect(await sessions.innerText()).toMatch(/Token default\s+Began .*\s+Ends .* at the latest/);
    await button('End all sessions').click();
    await dialog().getByRole('button', { name: 'End all sessions' }).click();
    await sessions.getByText('Not signed in in any browser.').waitFor();
  });

  it('lose their own, and sign in again', async () => {
    dashboard = await openAt(`${lab.url}/${USERS}&user=boss`);
    await dashboard.signIn(BOSS);
    await button('End all sessions').click();
    await dialog().getByText('You are signed out, in all browsers.').waitFor();
    await dialog().getByRole('button', { name: 'End all sessions' }).click();
    await dashboard.page.getByText('Your session has ended. Sign in again.').waitFor();
    await dashboard.signIn(BOSS);
    await region('Sessions').getByText('Token default').waitFor();
  });

  it('become administrators, and never lock out the last one', async () => {
    const { page } = await open(`${USERS}&user=rita`);
    await button('Make administrator').click();
    await dialog().getByRole('button', { name: 'Make administrator' }).click();
    await region('Administration').getByText('yes').waitFor();
    await expect
      .poll(async () => (await rowsOf('Users and groups')).at(-1))
      .toContain('administrator');
    await page.goto(`${lab.url}/${USERS}&user=boss`);
    await dashboard.settled();
    await button('Remove as administrator').click();
    await dialog().getByRole('button', { name: 'Remove as administrator' }).click();
    await dialog().getByText('it would lock you out').waitFor();
  });

  it('include groups of the provider, also one with the name of a user', async () => {
    const { page, settled } = await open();
    await button('Add a group').click();
    await dialog().getByLabel('Name').fill('rita');
    await dialog().getByRole('button', { name: 'Add' }).click();
    await page.getByText('Group of the identity provider').waitFor();
    await settled();
    expect(page.url()).toContain('usergroup=rita');
    expect(await region('Tokens').count()).toBe(0);
    expect(await region('Sessions').count()).toBe(0);
    await region('Grants').getByText('No context is granted to this group.').waitFor();
    await button('Remove rita').click();
    await dialog().getByRole('heading', { name: 'Remove the group rita?' }).waitFor();
    await dialog().getByRole('button', { name: 'Remove rita' }).click();
    await expect.poll(() => rowsOf('Users and groups')).toHaveLength(4);
    expect((await rowsOf('Users and groups')).at(-1)).toContain('Rita R.');
  });

  it('who are gone are explained', async () => {
    const { page } = await open(`${USERS}&user=nobody`);
    await page.getByText('There is no user “nobody”').waitFor();
    await page.getByRole('button', { name: 'Close nobody' }).click();
    await panel().waitFor({ state: 'detached' });
  });

  it('have an audit, newest first, by user and time, with more on demand', async () => {
    await lab.sql('delete from audit');
    await lab.sql(`insert into audit (at, username, came_from, action, object, detail)
      select '2024-07-01'::timestamptz + n * interval '1 hour', case n % 2 when 0 then 'ada' else 'boss' end,
        '192.0.2.1', 'token made', 'user ' || n, '{"token": "default", "expires": null}'
      from generate_series(1, 120) n`);
    const { page, settled, shoot } = await open();
    const audit = region('Audit');
    const count = () => audit.locator('tbody tr').count();
    expect(await count()).toBe(20);
    expect((await rowsOf('Audit'))[0]).toBe(
      'Sat 6 Jul 2024, 00:00 ada 192.0.2.1 token made user 120 token default',
    );
    await button('Show 100 more').click();
    await expect.poll(count).toBe(120);
    expect(await button('Show 100 more').count()).toBe(0);
    await audit.getByLabel('Done by').fill('ada');
    await audit.getByLabel('Since').fill('2024-07-05');
    await page.keyboard.press('Enter');
    await expect.poll(count).toBe(13);
    await settled();
    expect(page.url()).toMatch(/actor=ada&since=1720137600/);
    expect(await violations(page)).toEqual([]);
    await shoot('users-audit');
    await page.goBack();
    await expect.poll(count).toBe(20);
    await page.goForward();
    await expect.poll(count).toBe(13);
    await button('Show all').click();
    await expect.poll(count).toBe(20);
    expect(await audit.getByLabel('Done by').inputValue()).toBe('');
  });
});
