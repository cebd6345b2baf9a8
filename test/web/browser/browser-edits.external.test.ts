import { afterAll, beforeAll, expect, it } from 'vitest';
import { addUser } from '../../../access/users.ts';
import { ADA, CONTEXT, type Credentials, type TestService } from '../../support/lab/service.ts';
import { violations } from './axe-violations.ts';
import type { DashboardPage } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { HOSTS, hostKey, hostName, startPageLab, TEN } from './page-lab.ts';

const READER: Credentials = { username: 'rita', token: 'rita-token' };

const TOP = `?context=lab&group=${HOSTS.slice(1, -1)}&meter=0&window=${TEN}-${TEN + 7200}&tz=UTC`;
const STORAGE = '?view=storage&context=lab&tz=UTC';

describeInBrowser('editing in a browser', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startPageLab();
    await role('editor');
    await lab.addUser(READER, [CONTEXT]);
  }, 120_000);

  afterAll(() => lab?.close());

  const role = (given: 'reader' | 'editor') =>
    lab.write((connection) =>
      addUser(connection, { name: ADA.username, contexts: [CONTEXT], role: given }),
    );

  const open = async (search: string, as: Credentials = ADA) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as });
    return dashboard;
  };

  /** Changes a key as another editor. */
  const change = (key: string, changes: object) =>
    lab.data(
      'mutation ($group: Guid!, $keys: [KeyUpdateInput!]!) { updateKeys(context: "lab", counterGroup: $group, keys: $keys) { key } }',
      { group: HOSTS, keys: [{ key, ...changes }] },
    );

  const panel = () => dashboard.page.getByRole('complementary');

  it('changes label, description and attributes of a key, and shows them at once', async () => {
    const { page, labels, settled, shoot } = await open(`${TOP}&key=${hostKey(0)}`);
    await panel().getByRole('button', { name: 'Edit', exact: true }).click();
    const form = page.getByRole('form', { name: 'Edit this key' });
    expect(await page.evaluate('document.activeElement.value')).toBe(hostName(0));
    expect(await form.getByLabel('Description').inputValue()).toBe('the file server');
    expect(await violations(page)).toEqual([]);
    await form.getByLabel('Label').fill('files.example.com');
    await form.getByLabel('Description').fill('two disks\nof 8 TB');
    await form.getByRole('button', { name: 'Add an attribute' }).click();
    await form.getByLabel('Name of attribute 2').fill('owner');
    await form.getByLabel('Value of attribute 2').fill('ada');
    await shoot('edit-key');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await settled();
    await expect.poll(() => page.locator('#panel-title').textContent()).toBe('files.example.com');
    await expect.poll(async () => (await labels())[0]).toBe('files.example.com');
    const shownText = await panel().getByRole('region', { name: 'Attributes' }).innerText();
    for (const text of ['two disks\nof 8 TB', 'cellar', 'owner', 'ada'])
      expect(shownText).toContain(text);

    await page.reload();
    await settled();
    expect((await labels())[0]).toBe('files.example.com');
  });

  it('sends only what was changed, and nothing if nothing was', async () => {
    const { page, asked, forget, settled } = await open(`${TOP}&key=${hostKey(2)}`);
    const sent = () => asked.filter(({ operationName }) => operationName === 'UpdateKeys');
    const edit = panel().getByRole('button', { name: 'Edit', exact: true });
    const form = page.getByRole('form', { name: 'Edit this key' });
    await edit.click();
    forget();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    expect(sent()).toEqual([]);

    await edit.click();
    await form.getByLabel('Label').fill('');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await settled();
    expect(sent().map(({ variables }) => variables)).toEqual([
      { context: 'lab', group: HOSTS, keys: [{ key: hostKey(2), label: null }] },
    ]);
    // A key without a label is named by its address.
    await expect.poll(() => page.locator('#panel-title').textContent()).toBe('10.0.0.12');
  });

  it('does not undo what another editor changes while the form is open', async () => {
    const key = hostKey(5);
    const { page, asked } = await open(
      `${TOP.replace(/window=[^&]*/, 'window=1h')}&live=1&key=${key}`,
    );
    await page.locator('.is-live.is-open').waitFor();
    await panel().getByRole('button', { name: 'Edit', exact: true }).click();
    const form = page.getByRole('form', { name: 'Edit this key' });
    await form.getByLabel('Description').fill('mine');
    await change(key, { label: 'theirs' });
    await expect.poll(() => page.locator('#panel-title').textContent()).toBe('theirs');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const sent = asked.filter(({ operationName }) => operationName === 'UpdateKeys');
    expect(sent.map(({ variables }) => variables['keys'])).toEqual([
      [{ key, description: 'mine' }],
    ]);
  });

  it('keeps attributes that another editor adds, even without new data', async () => {
    const key = hostKey(6);
    const { page, asked } = await open(`${TOP}&key=${key}`);
    await panel().getByRole('button', { name: 'Edit', exact: true }).click();
    const form = page.getByRole('form', { name: 'Edit this key' });
    await form.getByRole('button', { name: 'Add an attribute' }).click();
    await form.getByLabel('Name of attribute 1').fill('owner');
    await form.getByLabel('Value of attribute 1').fill('ada');
    await change(key, { attributes: [{ name: 'rack', value: '7' }] });
    await page.route('**/graphql', (route) =>
      route.request().postDataJSON().operationName === 'KeyTexts'
        ? route.abort()
        : route.continue(),
    );
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Not saved').waitFor();
    const sent = () => asked.filter(({ operationName }) => operationName === 'UpdateKeys');
    expect(sent()).toEqual([]);
    await page.unroute('**/graphql');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const attributes = [
      { name: 'rack', value: '7' },
      { name: 'owner', value: 'ada' },
    ];
    expect(sent().map(({ variables }) => variables['keys'])).toEqual([[{ key, attributes }]]);
  });

  it('discards the changes on Escape, and leaves the panel open', async () => {
    const { page, labels } = await open(`${TOP}&key=${hostKey(3)}`);
    await panel().getByRole('button', { name: 'Edit', exact: true }).click();
    await page.keyboard.type('x');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('form', { name: 'Edit this key' }).count()).toBe(0);
    expect(await page.locator('#panel-title').textContent()).toBe(hostName(3));
    expect(await labels()).toContain(hostName(3));
  });

  it('says why a change was not made, and keeps what was typed', async () => {
    const { page, shoot } = await open(`${TOP}&key=${hostKey(3)}`);
    await panel().getByRole('button', { name: 'Edit', exact: true }).click();
    const form = page.getByRole('form', { name: 'Edit this key' });
    await form.getByLabel('Label').fill('x'.repeat(1001));
    await form.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(() => form.getByRole('alert').textContent())
      .toMatch(/^Not saved: .*1000 characters/);
    await shoot('edit-refused');
    expect(await form.getByLabel('Label').inputValue()).toHaveLength(1001);

    await form.getByLabel('Label').fill('mine');
    await form.getByRole('button', { name: 'Add an attribute' }).click();
    await form.getByRole('button', { name: 'Add an attribute' }).click();
    for (const i of [1, 2]) await form.getByLabel(`Name of attribute ${i}`).fill('room');
    await form.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => form.getByRole('alert').textContent()).toMatch(/^Not saved: .*room/);

    await role('reader');
    await form.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(() => form.getByRole('alert').textContent())
      .toContain('User ada needs the role editor to change context lab');
    await role('editor');
  });

  it('sets the tags of a slice', async () => {
    const { page, shoot } = await open(STORAGE);
    const table = page.getByRole('region', { name: 'Slices as a table' });
    const first = table.locator('tbody tr').first();
    await first.getByRole('button', { name: /^Edit the tags of/ }).click();
    await page.keyboard.type('incident 7, audit');
    await shoot('edit-tags');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect
      .poll(() => first.locator('[data-name="Tags"]').textContent())
      .toContain('primary, incident 7, audit');
    await first.getByRole('button', { name: /^Edit the tags of/ }).click();
    expect(await first.getByRole('textbox').inputValue()).toBe('incident 7, audit');
    await first.getByRole('textbox').fill('primary');
    await first.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(() => first.getByRole('alert').textContent())
      .toMatch(/^Not saved: .*primary/);
    await first.getByRole('textbox').fill('');
    await first.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await first.locator('[data-name="Tags"]').textContent())?.trim())
      .toBe('primary');
  });

  it('is offered to editors only, and not for networks', async () => {
    const { page, settled } = await open(`${TOP}&key=${hostKey(0)}`, READER);
    await panel().getByRole('region', { name: 'Attributes' }).waitFor();
    expect(await page.getByRole('button', { name: /^Edit/ }).count()).toBe(0);
    await page.goto(`${lab.url}/${STORAGE}`);
    await settled();
    expect(await page.locator('[data-name="Tags"]').first().textContent()).toContain('primary');
    expect(await page.getByRole('button', { name: /^Edit/ }).count()).toBe(0);
    await dashboard.close();

    const { page: own, settled: done } = await open(`${TOP}&prefix=24&key=0A.00.00.00/18`);
    await done();
    await panel().getByRole('region', { name: 'Attributes' }).waitFor();
    expect(await own.getByRole('button', { name: /^Edit/ }).count()).toBe(0);
  });
});
