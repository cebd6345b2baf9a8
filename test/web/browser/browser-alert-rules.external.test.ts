import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addUser } from '../../../access/users.ts';
import { ADA, CONTEXT, type Credentials, type TestService } from '../../support/lab/service.ts';
import { NOON, startAlertsPageLab } from './alerts-page-lab.ts';
import { violations } from './axe-violations.ts';
import { type DashboardPage, type Looks, overflowOf } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { HOSTS, hostKey, hostName } from './page-lab.ts';

const READER: Credentials = { username: 'rita', token: 'rita-token' };
const LIMITED: Credentials = { username: 'lim', token: 'lim-token' };

const ALERTS = `?view=alerts&context=lab&group=${HOSTS.slice(1, -1)}&meter=0&tz=UTC`;

describeInBrowser('alert rules in the dashboard', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startAlertsPageLab();
    await lab.addUser(READER, [CONTEXT]);
    await lab.addUser(LIMITED, [CONTEXT]);
    await lab.write(async (to) => {
      await addUser(to, { name: ADA.username, contexts: [CONTEXT], role: 'editor' });
      const limit = { networks: ['10.0.0.0/8'], probes: [], groups: [] };
      await addUser(to, { name: LIMITED.username, contexts: [CONTEXT], role: 'editor', limit });
    });
  }, 120_000);

  afterAll(() => lab?.close());

  const open = async (
    search: string,
    { as = ADA, ...looks }: Looks & { as?: Credentials } = {},
  ) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as, ...looks });
    return dashboard;
  };

  const regionOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

  /** The row of a table that has a text. */
  const rowOf = (page: Page, region: string, text: string) =>
    regionOf(page, region).locator('tbody tr').filter({ hasText: text });

  it('makes, tests and changes a rule, and removes it', async () => {
    const { page, settled, shoot } = await open(ALERTS);
    await page.getByRole('link', { name: 'New rule' }).click();
    const form = page.getByRole('form', { name: 'New alert rule' });
    const words = regionOf(page, 'The rule in words');
    await words.getByText('Once it has a threshold').waitFor();
    await form.getByLabel('Threshold').fill('8.5');
    await form.getByLabel('Only in networks').fill('10.0.0.0/8');
    await form.getByLabel('But not in').fill('10.0.0.10/32');
    await form.getByLabel('Name', { exact: true }).fill('other talker');
    await form.getByLabel('Ends after windows without').fill('2');
    expect(plain(await words.textContent())).toContain(
      'any key of Hosts in 10.0.0.0/8 outside 10.0.0.10/32 with Total bytes above 8.50 MB in 5 minutes; ends after 2 windows without',
    );
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    const trial = regionOf(page, 'Test');
    await expect.poll(() => trial.textContent()).toContain('It would have fired');
    await expect.poll(() => trial.locator('li').count()).toBeGreaterThan(0);
    expect(await trial.textContent()).toContain(hostName(2));
    await shoot('alert-rule-tested');
    await form.getByLabel('Threshold').fill('1.5');
    await form.getByLabel('Unit').selectOption('GB');
    expect(await trial.textContent()).toContain('test it again');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await expect.poll(() => trial.textContent()).toContain('It would not have fired');
    await form.getByRole('button', { name: 'Make this rule' }).click();
    const row = rowOf(page, 'Rules', 'other talker');
    await row.waitFor();
    expect(plain(await row.textContent())).toContain('above 1.50 GB in 5 minutes');
    expect(await row.locator('[data-name="Made by"]').textContent()).toBe('ada');
    await row.getByRole('link', { name: 'Edit' }).click();
    const edit = page.getByRole('form', { name: 'Change this rule' });
    expect(await edit.getByLabel('Threshold').inputValue()).toBe('1.5');
    expect(await edit.getByLabel('Only in networks').inputValue()).toBe('10.0.0.0/8');
    await edit.getByLabel('Name', { exact: true }).fill('renamed');
    await edit.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'Rules', 'renamed').waitFor();
    await settled();
    await rowOf(page, 'Rules', 'renamed').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => rowOf(page, 'Rules', 'renamed').count()).toBe(0);
  });

  it('says beside its fields what is wrong with a rule', async () => {
    const { page } = await open(`${ALERTS}&rule=new`);
    const form = page.getByRole('form', { name: 'New alert rule' });
    await form.getByLabel('Name', { exact: true }).fill('wrong');
    await form.getByLabel('Threshold').fill('much');
    await form.getByRole('button', { name: 'Make this rule' }).click();
    await expect.poll(() => form.textContent()).toContain('Must be a number, such as 100 or 2.5.');
    await form.getByLabel('Threshold').fill('5');
    await form.getByLabel('Only in networks').fill('nowhere');
    await form.getByLabel('Begins after windows in a row').fill('0');
    await form.getByRole('button', { name: 'Make this rule' }).click();
    await expect.poll(() => form.textContent()).toContain('got "nowhere"');
    const invalid = await form.locator('[aria-invalid="true"]').count();
    expect(invalid).toBe(2);
    await form.getByLabel('Only in networks').fill('');
    await form.getByLabel('Begins after windows in a row').fill('1');
    await form.getByLabel('Name', { exact: true }).fill('big talker');
    await form.getByRole('button', { name: 'Make this rule' }).click();
    await expect.poll(() => form.textContent()).toContain('The alert cannot be changed');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await regionOf(page, 'Rules').waitFor();
  });

  it('copies what is declared in a file, which cannot be changed here', async () => {
    const { page, settled } = await open(ALERTS);
    const row = rowOf(page, 'Rules', 'big talker');
    expect(await row.locator('[data-name="Made by"]').textContent()).toBe('a file');
    await row.getByRole('link', { name: 'Copy' }).click();
    const form = page.getByRole('form', { name: 'New alert rule' });
    expect(await form.getByLabel('Threshold').inputValue()).toBe('5');
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('');
    expect(await form.getByLabel('Severity').inputValue()).toBe('critical');
    await page.goto(`${lab.url}/${ALERTS}&rule=change:big+talker`);
    await settled();
    await page.getByText('“big talker” is declared in a file').waitFor();
    await page.getByRole('link', { name: 'Show all rules' }).click();
    await regionOf(page, 'Rules').waitFor();
  });

  it('begins a rule about a key from its panel', async () => {
    const window = `window=${NOON - 3600}-${NOON + 1800}`;
    const { page } = await open(
      `?context=lab&group=${HOSTS.slice(1, -1)}&meter=0&tz=UTC&${window}&key=${hostKey(2)}`,
    );
    await page.getByRole('link', { name: 'Alert me about this key' }).click();
    const form = page.getByRole('form', { name: 'New alert rule' });
    expect(await form.getByLabel('Only these keys').inputValue()).toBe('10.0.0.12');
  });

  it('acknowledges an event with a note, which then comes last', async () => {
    const { page } = await open(ALERTS);
    const row = rowOf(page, 'Firing', 'big talker');
    await row.getByRole('button', { name: 'Acknowledge' }).click();
    const dialog = page.getByRole('dialog', { name: 'Acknowledge this event' });
    expect(await violations(page)).toEqual([]);
    await dialog.getByLabel('Note').fill('the backup');
    await dialog.getByRole('button', { name: 'Acknowledge' }).click();
    await expect
      .poll(() => row.locator('[data-name="Acknowledged"]').textContent())
      .toContain('adathe backup');
    const names = regionOf(page, 'Firing').locator('[data-name="Rule"]');
    await expect
      .poll(() => names.allTextContents())
      .toEqual(['busy network', 'half of it', 'big talker']);
  });

  it('silences a rule for a while, and lifts the silence', async () => {
    const { page } = await open(ALERTS);
    const row = rowOf(page, 'Rules', 'busy network');
    await row.getByRole('button', { name: 'Silence' }).click();
    const dialog = page.getByRole('dialog', { name: 'Silence busy network' });
    await dialog.getByLabel('How long').selectOption('until a time');
    await dialog.getByLabel(/^Until/).fill('2020-01-01T00:00');
    await dialog.getByRole('button', { name: 'Silence' }).click();
    await expect.poll(() => dialog.textContent()).toContain('Not saved');
    await dialog.getByLabel('How long').selectOption('1 day');
    await dialog.getByLabel('Why').fill('maintenance');
    await dialog.getByRole('button', { name: 'Silence' }).click();
    const state = row.locator('[data-name="State"]');
    await expect.poll(() => state.textContent()).toMatch(/silenced until .* by ada: maintenance/);
    await row.getByRole('button', { name: 'Lift the silence' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Lift the silence' }).click();
    await expect.poll(() => state.textContent()).not.toContain('silenced');
  });

  it('shows readers and limited editors nothing that they may not change', async () => {
    const { page, settled } = await open(ALERTS, { as: READER });
    await rowOf(page, 'Rules', 'big talker').waitFor();
    const acts = page.getByRole('button', { name: /Silence|Remove|Acknowledge/ });
    expect(await acts.count()).toBe(0);
    expect(await page.getByRole('link', { name: /New rule|Edit|Copy/ }).count()).toBe(0);
    expect(await regionOf(page, 'Sinks').count()).toBe(0);
    await page.goto(`${lab.url}/${ALERTS}&rule=new`);
    await settled();
    await page.getByText('You cannot change alert rules here').waitFor();
    const limited = await open(ALERTS, { as: LIMITED });
    await rowOf(limited.page, 'Firing', 'big talker').waitFor();
    expect(await limited.page.getByRole('link', { name: /New rule|Edit|Copy/ }).count()).toBe(0);
    expect(await regionOf(limited.page, 'Rules').count()).toBe(0);
    await rowOf(limited.page, 'History', 'big talker')
      .getByRole('button', { name: 'Acknowledge' })
      .waitFor();
  });

  it.each([
    ['light', 1600],
    ['light', 390],
    ['dark', 390],
    ['dark', 1600],
  ] as const)(
    'is accessible in %s, %s px wide, and does not scroll sideways',
    async (colorScheme, width) => {
      const { page, shoot } = await open(`${ALERTS}&rule=copy:big+talker`, { colorScheme, width });
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await regionOf(page, 'Test').locator('li').first().waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      await shoot(`alert-rule-${colorScheme}-${width}`);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await regionOf(page, 'Sinks').waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      await shoot(`alerts-editor-${colorScheme}-${width}`);
    },
  );
});

/** Replaces non-breaking spaces by spaces. */
const plain = (text: string | null): string => (text ?? '').replaceAll(/\s+/g, ' ');
