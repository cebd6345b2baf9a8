import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { addUser } from '../../../access/users.ts';
import { CONTEXT, type TestService } from '../../support/lab/service.ts';
import { violations } from './axe-violations.ts';
import { type DashboardPage, type Opening, overflowOf } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { startPageLab } from './page-lab.ts';
import { BOSS, resetUsers, USERS } from './users-page-lab.ts';

describeInBrowser('users in a browser, in any window and by keyboard', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startPageLab();
  }, 120_000);

  afterAll(() => lab?.close());

  beforeEach(() => resetUsers(lab));

  const open = async (search: string, opening: Opening = {}) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: BOSS, ...opening });
    return dashboard;
  };

  const button = (name: string | RegExp) =>
    dashboard.page.getByRole('button', { name, exact: true });
  const panel = () => dashboard.page.getByRole('complementary');
  const dialog = () => dashboard.page.getByRole('dialog');
  const focused = () =>
    dashboard.page.evaluate<string>(
      'document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent',
    );
  it.each([320, 390])('have a link beside the others, %i px wide', async (width) => {
    await lab.write((to) => addUser(to, { name: 'boss', contexts: [CONTEXT] }));
    const { page } = await open(USERS, { width, height: 900 });
    const links = page.locator('.header nav a');
    await expect.poll(() => links.count()).toBe(8);
    const tabs = await links.all();
    const boxes = await Promise.all(tabs.map((tab) => tab.boundingBox()));
    const ends = boxes.map((box) => (box?.x ?? 0) + (box?.width ?? 0));
    expect(Math.max(...ends)).toBeLessThanOrEqual(width);
    const overlaps = boxes.slice(1).filter((box, i) => {
      const before = boxes[i];
      return box && before && box.y === before.y && box.x < (ends[i] ?? 0) - 1;
    });
    expect(overlaps).toEqual([]);
    await dashboard.shoot(`users-tabs-${width}`);
  });

  it('are changed by keyboard alone', async () => {
    const { page, settled } = await open(USERS);
    const { keyboard } = page;
    const tabTo = async (name: RegExp) => {
      for (let i = 0; i < 60; i += 1) {
        if (name.test(await focused())) return;
        await keyboard.press('Tab');
      }
      throw new Error(`Tab never comes to ${name}`);
    };
    await tabTo(/^Users$/);
    await tabTo(/^Add a user$/);
    await keyboard.press('Enter');
    await dialog().waitFor();
    await keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('Add a user');
    await tabTo(/^rita$/);
    await keyboard.press('Enter');
    await panel().waitFor();
    await settled();
    await expect.poll(focused).toBe('rita');
    await tabTo(/^Grant a context$/);
    await keyboard.press('Enter');
    await page.getByRole('form', { name: 'New grant' }).waitFor();
    await keyboard.press('Escape');
    await expect.poll(focused).toBe('Grant a context');
    await tabTo(/^Make a token$/);
    await keyboard.press('Enter');
    await keyboard.type('cron');
    await keyboard.press('Enter');
    await page.getByRole('group', { name: 'Token cron' }).waitFor();
    await tabTo(/^Done$/);
    await keyboard.press('Enter');
    await tabTo(/^Revoke token cron$/);
    await keyboard.press('Enter');
    await dialog().waitFor();
    await expect.poll(focused).toBe('Cancel');
    await keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    // Escape left the dialog, not the panel around it.
    expect(await panel().count()).toBe(1);
    await expect.poll(focused).toBe('Revoke token cron');
    await keyboard.press('Escape');
    await panel().waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('rita');
  });

  it.each([
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('fit into %i px, %s', async (width, colorScheme) => {
    const { page, settled, shoot } = await open(USERS, { width, height: 900, colorScheme });
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await shoot(`users-${width}-${colorScheme}`);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('link', { name: 'rita' }).click();
    await settled();
    await button('Change the grant of lab').click();
    await page.getByRole('form', { name: 'Grant of lab' }).waitFor();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await shoot(`users-panel-${width}-${colorScheme}`);
    expect(await violations(page)).toEqual([]);
    await button('Cancel').click();
    await button('Remove rita').click();
    const { x = 0, width: wide = 0 } = (await dialog().boundingBox()) ?? {};
    expect(x).toBeGreaterThan(0);
    expect(x + wide).toBeLessThan(width);
    expect(await violations(page)).toEqual([]);
  });

  it('may have long names, 390 px wide', async () => {
    const name = 'W'.repeat(100);
    await lab.write((to) => addUser(to, { name, contexts: [CONTEXT] }));
    const { page } = await open(`${USERS}&user=${name}`, { width: 390, height: 900 });
    await button(`Remove ${name}`).click();
    for (const part of await page.locator('.panel :is(h2, a, button, p)').all()) {
      const { x = 0, width = 0 } = (await part.boundingBox()) ?? {};
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(390);
    }
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await button(`Close ${name}`).click();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  });
});
