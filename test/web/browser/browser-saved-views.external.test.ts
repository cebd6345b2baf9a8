import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ADA, type Credentials, type TestService } from '../../support/lab/service.ts';
import { violations } from './axe-violations.ts';
import { type DashboardPage, type Opening, overflowOf } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { APPS, HOSTS, startPageLab, TEN } from './page-lab.ts';

const BEA: Credentials = { username: 'bea', token: 'bea-token' };

const viewOf = (group: string, more = '') =>
  `?context=lab&group=${group.slice(1, -1)}&meter=0&window=${TEN}-${TEN + 3600}${more}&tz=UTC`;

describeInBrowser('saved views in a browser', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startPageLab();
    await lab.addUser(BEA, ['lab']);
  }, 120_000);

  afterAll(() => lab?.close());

  beforeEach(() => lab.sql('delete from saved_views'));

  const open = async (search: string, opening: Opening = {}) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: ADA, ...opening });
    return dashboard;
  };

  const menu = () => dashboard.page.getByRole('dialog', { name: 'Saved views' });

  const openMenu = async () => {
    await dashboard.page.getByRole('button', { name: 'Saved views' }).click();
    await expect.poll(() => menu().locator('[aria-busy="true"]').count()).toBe(0);
  };

  const save = async (name: string) => {
    await menu().getByLabel('Save this view as').fill(name);
    await menu()
      .getByRole('button', { name: /^(Save|Replace)$/ })
      .click();
    await menu().getByText(`Saved as ${name}.`).waitFor();
  };

  const link = (name: string) => menu().getByRole('link', { name, exact: false });

  const h1 = () => dashboard.page.locator('h1').textContent();

  it('are saved under a name, and the page opens with the one that has the star', async () => {
    const { page, settled, shoot } = await open(viewOf(APPS, '&top=20&others=off'));
    const title = await h1();
    await openMenu();
    await menu().getByText('Nothing is saved in lab yet').waitFor();
    await save('Apps at ten');
    await link('Apps at ten').waitFor();
    const star = menu().getByRole('button', { name: 'Star of Apps at ten' });
    await star.click();
    await expect.poll(() => star.getAttribute('aria-pressed')).toBe('true');
    expect(await violations(page)).toEqual([]);
    await shoot('saved-views');

    for (const search of ['', '?context=lab']) {
      await page.goto(`${lab.url}/${search}`);
      await settled();
      expect(await h1()).toBe(title);
      expect(page.url()).toContain('top=20');
      expect(page.url()).toContain('others=off');
    }
    // An address that says what to show is not overridden.
    await page.goto(`${lab.url}/${viewOf(HOSTS)}`);
    await settled();
    expect(await h1()).toContain('Hosts');
    await openMenu();
    await link('Apps at ten').click();
    await settled();
    expect(await h1()).toBe(title);
    await page.goBack();
    await settled();
    expect(await h1()).toContain('Hosts');
  });

  it('are renamed, made live, replaced, shared and removed, by keyboard alone', async () => {
    const { page, settled } = await open(viewOf(HOSTS));
    const { keyboard } = page;
    await page.getByRole('button', { name: 'Saved views' }).focus();
    await keyboard.press('Enter');
    await menu().getByLabel('Save this view as').focus();
    await keyboard.type('First');
    await keyboard.press('Enter');
    await link('First').waitFor();

    const change = menu().getByRole('button', { name: 'Change First' });
    await change.focus();
    await keyboard.press('Enter');
    await menu().getByLabel('Name', { exact: true }).fill('Second');
    for (const label of [/^Shared/, /^Live/]) {
      await menu().getByLabel(label).focus();
      await keyboard.press('Space');
    }
    await menu().getByRole('button', { name: 'Save', exact: true }).first().press('Enter');
    await link('Second').waitFor();
    expect(await link('Second').textContent()).toContain('shared · live');

    await link('Second').press('Enter');
    await settled();
    expect(page.url()).toContain('live=1');
    const reader = await openAt(`${lab.url}/${viewOf(HOSTS)}`, { as: BEA });
    dashboard = reader;
    await openMenu();
    await menu().getByText('Shared by others').waitFor();
    expect(await link('Second').textContent()).toContain('by ada · live');
    expect(
      await menu()
        .getByRole('button', { name: /^Change/ })
        .count(),
    ).toBe(0);
    const star = menu().getByRole('button', { name: 'Star of Second' });
    await star.click();
    await expect.poll(() => star.getAttribute('aria-pressed')).toBe('true');
    await reader.page.goto(lab.url);
    await reader.settled();
    expect(reader.page.url()).toContain('live=1');
  });

  it('are removed after a second question', async () => {
    await open(viewOf(HOSTS));
    await openMenu();
    await save('Gone');
    await menu().getByRole('button', { name: 'Change Gone' }).click();
    await menu().getByRole('button', { name: 'Remove' }).click();
    await menu().getByRole('button', { name: 'Really remove Gone?' }).click();
    await menu().getByText('Nothing is saved in lab yet').waitFor();
  });

  it('say why a change is refused', async () => {
    await lab.sql(`insert into saved_views (context_id, user_id, name, address, shared, live)
      select context_id, user_id, 'view ' || i, '?', false, false
      from contexts, users, generate_series(1, 100) i where username = 'ada' and name = 'lab'`);
    await open(viewOf(HOSTS));
    await openMenu();
    await menu().getByLabel('Save this view as').fill('One more');
    await menu().getByRole('button', { name: 'Save', exact: true }).click();
    await menu().getByText('you have 100 views here, remove one first').waitFor();
  });

  it.each([320, 390, 1280])('fit a window %i px wide, in the dark too', async (width) => {
    const { page, shoot } = await open(viewOf(HOSTS), { width, height: 800, colorScheme: 'dark' });
    await openMenu();
    await save('A view with a rather long name, such as people give in a hurry');
    await menu()
      .getByRole('button', { name: /^Change/ })
      .click();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await violations(page)).toEqual([]);
    await shoot(`saved-views-${width}-dark`);
  });
});
