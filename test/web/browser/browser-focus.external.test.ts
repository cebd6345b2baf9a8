import { afterAll, beforeAll, expect, it } from 'vitest';
import { addUser } from '../../../access/users.ts';
import { ADA, CONTEXT } from '../../support/lab/service.ts';
import { NOON, startAlertsPageLab } from './alerts-page-lab.ts';
import type { DashboardPage } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { HOSTS, hostKey, hostName, TEN } from './page-lab.ts';

const TOP = `?context=lab&group=${HOSTS.slice(1, -1)}&meter=0&window=${TEN}-${TEN + 7200}&tz=UTC`;

describeInBrowser('the focus in the dashboard', (openAt) => {
  let lab: Awaited<ReturnType<typeof startAlertsPageLab>>;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startAlertsPageLab();
    await lab.write((connection) =>
      addUser(connection, { name: ADA.username, contexts: [CONTEXT], role: 'editor' }),
    );
  }, 120_000);

  afterAll(() => lab?.close());

  const open = async (search: string) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: ADA });
    return dashboard;
  };

  /** The focused element: its name, or its tag and text. */
  const focused = () =>
    dashboard.page.evaluate(() => {
      const { activeElement: own } = document;
      return (
        own?.getAttribute('aria-label') ?? `${own?.localName}: ${own?.textContent?.slice(0, 60)}`
      );
    });

  /** Presses a button as the keyboard does. */
  const press = async (name: string | RegExp) => {
    const button = dashboard.page.getByRole('button', { name, exact: true }).first();
    await button.focus();
    await dashboard.page.keyboard.press('Enter');
  };

  it('is on the user at first, on the heading after signing in, and then on the token', async () => {
    dashboard = await openAt(`${lab.url}/${TOP}`);
    const { page, signIn } = dashboard;
    await signIn();
    await expect.poll(focused).toMatch(/^h1: Hosts/);
    await press('Sign out ada');
    await page.keyboard.type('wrong');
    expect(await page.getByLabel('User').inputValue()).toBe('ada');
    expect(await page.getByLabel('Token').inputValue()).toBe('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The user or token is wrong').waitFor();
    await press('Sign in');
    await page.getByText('The user or token is wrong').waitFor();
    expect(await focused()).toBe('button: Sign in');
  });

  it.each([
    ['Top keys', TOP],
    ['Trend', `${TOP}&view=trend`],
    ['Storage', '?view=storage&context=lab&tz=UTC'],
    ['Alerts', '?view=alerts&context=lab&tz=UTC'],
  ])('stays on Reload: %s', async (_, search) => {
    const { page, settled, asked, forget } = await open(search);
    await settled();
    forget();
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/graphql*', async (route) => {
      await held;
      await route.continue();
    });
    await press('Reload');
    await page.locator('[aria-busy="true"]').waitFor();
    expect(await focused()).toBe('Reload');
    // The second press asks nothing again. The view may ask something else on its own.
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    const times = () =>
      asked.filter((each) => each.operationName === asked[0]?.operationName).length;
    const before = times();
    await page.keyboard.press('Enter');
    expect(await focused()).toBe('Reload');
    expect(times()).toBe(before);
    release();
    await settled();
    expect(await focused()).toBe('Reload');
  });

  it('moves to the next filter when one is removed, and then to the input', async () => {
    const hidden = [1, 2].map((i) => `&hide=${hostKey(i)}`).join('');
    const { settled } = await open(`${TOP}&find=host${hidden}`);
    await press('Remove the filter host');
    await settled();
    expect(await focused()).toMatch(/^Show .* again$/);
    await press(`Show ${hostName(2)} again`);
    await settled();
    expect(await focused()).toBe(`Show ${hostName(1)} again`);
    await press(`Show ${hostName(1)} again`);
    await settled();
    expect(await focused()).toBe('Filter Hosts');
  });

  it('moves to the heading when a notice goes', async () => {
    const { page, settled } = await open(`${TOP}&find=nothing-like-it`);
    await press('Clear the filter');
    await settled();
    await expect.poll(focused).toMatch(/^h1: Hosts/);
    await page.goto(`${lab.url}/?context=other`);
    await settled();
    await press('Show lab');
    await settled();
    await expect.poll(focused).toMatch(/^h1: /);
  });

  it('returns to the button that opened an editor', async () => {
    const { page, settled } = await open(`${TOP}&key=${hostKey(0)}`);
    await settled();
    for (const leave of ['Escape', 'Cancel', 'Save']) {
      await press('Edit');
      await page.getByRole('form', { name: 'Edit this key' }).waitFor();
      await page.keyboard.type(leave);
      if (leave === 'Escape') await page.keyboard.press('Escape');
      else await press(leave);
      await page.getByRole('form', { name: 'Edit this key' }).waitFor({ state: 'detached' });
      expect(await focused()).toBe('button: Edit');
    }
    await page.goto(`${lab.url}/?view=storage&context=lab&tz=UTC`);
    await settled();
    for (const key of ['Escape', 'Enter']) {
      await press(/^Edit the tags of/);
      const opener = await page.getByRole('form', { name: /^Tags of/ }).getAttribute('aria-label');
      await page.keyboard.type(key);
      await page.keyboard.press(key);
      await page.getByRole('form', { name: /^Tags of/ }).waitFor({ state: 'detached' });
      expect(await focused()).toBe(`Edit the tags of ${opener?.replace('Tags of ', '')}`);
    }
  });

  it('stays in the form when an attribute is removed, as does what was typed', async () => {
    await open(`${TOP}&key=${hostKey(0)}`);
    const { page } = dashboard;
    await press('Edit');
    await page.getByLabel('Description').fill('not saved yet');
    await press('Add an attribute');
    await press('Remove attribute room');
    expect(await focused()).toBe('Remove attribute 1');
    await press('Remove attribute 1');
    expect(await focused()).toBe('button: Add an attribute');
    expect(await page.getByLabel('Description').inputValue()).toBe('not saved yet');
  });

  it('moves to the heading when a panel closes whose key has no row', async () => {
    const { page, settled } = await open(`${TOP}&key=${hostKey(13)}`);
    await settled();
    expect(await focused()).toBe(`h2: ${hostName(13)}`);
    await page.keyboard.press('Escape');
    await expect.poll(focused).toMatch(/^h1: Hosts/);
    await page.goto(`${lab.url}/${TOP}&prefix=24&key=0A.00.00.00/18`);
    await settled();
    await page.getByRole('link', { name: 'Rank these addresses' }).focus();
    await page.keyboard.press('Enter');
    await settled();
    await expect.poll(focused).toMatch(/^h1: Hosts/);
  });

  it('stays in the panel when it shows a part of a pair, or another key', async () => {
    const { page, settled } = await open(`${TOP}&key=${hostKey(0)}`);
    await settled();
    await page.getByRole('complementary').getByRole('link', { name: 'https' }).focus();
    await page.keyboard.press('Enter');
    await settled();
    expect(await focused()).toBe('h2: https');
  });

  it('is not taken from a viewer who left it', async () => {
    const { page, settled } = await open(TOP);
    await page.getByRole('link', { name: hostName(0) }).focus();
    await page.locator('.brand').click();
    await page.evaluate((search) => {
      history.pushState(null, '', search);
      dispatchEvent(new PopStateEvent('popstate'));
    }, `${TOP}&find=nothing-like-it`);
    await page.getByRole('heading', { name: 'No key passes the filter' }).waitFor();
    await settled();
    expect(await page.evaluate('document.activeElement.localName')).toBe('body');
  });

  it('moves to the head of the history when it shows other events', async () => {
    await lab.sql(
      `insert into alert_events (event_id, alert_id, context_id, key, started_at, ended_at, value,
         peak_value)
       select gen_random_uuid(), alert_id, context_id, 'rack 1', $1::bigint - 300 * n,
         $1::bigint - 300 * n + 300, 30, 31
       from alerts cross join generate_series(1, 70) as n where name = 'hot rack'`,
      [NOON],
    );
    const { page, settled } = await open('?view=alerts&context=lab&tz=UTC&alert=hot+rack');
    for (const name of ['Older events', 'Newest events']) {
      await page.getByRole('link', { name }).focus();
      await page.keyboard.press('Enter');
      await settled();
      expect(await focused()).toMatch(/^h2: History/);
      expect(await page.locator('h2:focus').isVisible()).toBe(true);
    }
  });
});
