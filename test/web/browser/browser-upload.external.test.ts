import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addUser } from '../../../access/users.ts';
import { CONTEXT, type TestService } from '../../support/lab/service.ts';
import {
  ADMIN,
  AT,
  connLog,
  EDITOR,
  startUploadLab,
  upload,
} from '../../support/lab/upload-lab.ts';
import { violations } from './axe-violations.ts';
import { type DashboardPage, type Opening, overflowOf } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';

const NFDUMP = `ts,te,td,sa,da,sp,dp,pr,ipkt,ibyt,opkt,obyt
2024-07-15 12:00:30,2024-07-15 12:00:30,0.000,10.0.0.1,198.51.100.7,51000,443,TCP,2,1000,0,0\n`;

describeInBrowser('a file in a browser', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;
  let page: Page;

  beforeAll(async () => {
    lab = await startUploadLab({ settings: { uploadBytes: 2 ** 20 } });
  }, 120_000);

  afterAll(() => lab?.close());

  const open = async (context: string, opening: Opening = {}) => {
    const address = `${lab.url}/?view=add&context=${encodeURIComponent(context)}&tz=UTC`;
    dashboard = await openAt(address, { as: ADMIN, ...opening });
    ({ page } = dashboard);
    await page.getByRole('heading', { name: 'From a file' }).waitFor();
  };

  const choose = (name: string, content: string | Buffer) =>
    page
      .getByLabel('Log file')
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

  const importIt = () => page.getByRole('button', { name: 'Import', exact: true }).click();

  it('is imported into a context that it creates, and its time is shown', async () => {
    await open('office');
    await choose('conn.log.gz', gzipSync(connLog(3)));
    await expect.poll(() => page.getByLabel('Format').inputValue()).toBe('zeek');
    await importIt();
    await page.getByText('conn.log.gz is imported. 3 flows from 4 lines.').waitFor();
    await page.getByRole('button', { name: 'Show its time' }).click();
    await expect.poll(() => page.url()).toContain('context=office');
    await dashboard.settled();
    expect(page.url()).not.toContain('view=add');
    await expect.poll(() => dashboard.labels()).toHaveLength(4);
  });

  it('is imported with the zone, the home networks and the format that are typed', async () => {
    await open('zones');
    await choose('some.csv', NFDUMP);
    await expect.poll(() => page.getByLabel('Format').inputValue()).toBe('nfdump');
    await page.getByLabel('Time zone of the file').fill('Europe/Berlin');
    await page.getByLabel('Home networks').fill('198.51.100.0/24, 192.0.2.0/24');
    await importIt();
    await page.getByText('1 flow from 2 lines.').waitFor();
    const [row] = await lab.sql<{ at: number }>(
      `select min(first_bucket)::int as at from segments join contexts using (context_id)
       where name = 'zones'`,
    );
    expect(row?.at).toBe(AT - 30);
  });

  it('may be dropped onto the form', async () => {
    await open('dropped');
    const transfer = await page.evaluateHandle(
      (text) => {
        const made = new DataTransfer();
        made.items.add(new File([text], 'dropped.log'));
        return made;
      },
      connLog(2, 20),
    );
    await page.dispatchEvent('form.add-body', 'dragover', { dataTransfer: transfer });
    await page.locator('form.add-body.is-over').waitFor();
    await page.dispatchEvent('form.add-body', 'drop', { dataTransfer: transfer });
    await page.getByText('dropped.log').waitFor();
    await importIt();
    await page.getByText('2 flows from 3 lines.').waitFor();
  });

  it('that was refused says why, in the words of the import', async () => {
    await open(CONTEXT, { as: EDITOR });
    await choose('conn.log', `${connLog(1)}nonsense\n`);
    await importIt();
    await page.getByText('conn.log, line 3: it must have 8 fields, got 1').waitFor();
    await page.getByLabel('Skip lines that cannot be read').check();
    await importIt();
    await page.getByText('1 flow from 3 lines. 1 line could not be read.').waitFor();
    await page.getByText('line 3: it must have 8 fields, got 1', { exact: true }).waitFor();
    await dashboard.shoot('upload-bad-lines');
  });

  it('that was imported before is not counted twice, unless that is wanted', async () => {
    await open(CONTEXT, { as: EDITOR });
    const log = connLog(2, 40);
    await upload(lab, log, { name: 'first.log' });
    await choose('conn.log', log);
    await importIt();
    await page.getByText('conn.log: its content is in context lab already').waitFor();
    expect(await page.getByRole('button', { name: 'Import what is new' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Count all of it again' }).click();
    await page.getByText('2 flows from 3 lines.').waitFor();
    await choose('conn.log', `${log}${connLog(1, 42).split('\n')[1]}\n`);
    await importIt();
    await page.getByText('the file has grown since').waitFor();
    await dashboard.shoot('upload-known');
    await page.getByRole('button', { name: 'Import what is new' }).click();
    await page.getByText('1 flow from 1 new line.').waitFor();
  });

  it('that is too large is not sent', async () => {
    await open(CONTEXT, { as: EDITOR });
    await choose('conn.log', connLog(1).padEnd(2 ** 20 + 1, '#'));
    await page.getByText('The file must have at most 1 MB').waitFor();
    expect(
      await page.getByRole('button', { name: 'Import', exact: true }).getAttribute('aria-disabled'),
    ).toBe('true');
  });

  it('can be cancelled while it is imported, and then nothing of it is', async () => {
    await open('never', {});
    let isHeld = false;
    await page.route('**/upload?*', async () => {
      // Never answered.
      isHeld = true;
    });
    await choose('conn.log', connLog(1));
    await importIt();
    await expect.poll(() => isHeld).toBe(true);
    await page.getByText('Leaving this view cancels it.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Leaving this view cancels it.').waitFor({ state: 'detached' });
    expect(await lab.sql(`select from contexts where name = 'never'`)).toEqual([]);
  });

  it('of somebody who may not upload there is refused in words', async () => {
    const user = { username: 'ed', token: 'ed-token' };
    await lab.write((to) => addUser(to, { name: 'ed', token: user.token, contexts: [] }));
    await lab.write((to) => addUser(to, { name: 'ed', contexts: [CONTEXT], role: 'editor' }));
    await open('elsewhere', { as: user });
    await choose('conn.log', connLog(1));
    await importIt();
    await page.getByText('only the upload of an administrator creates it').waitFor();
  });

  it.each([320, 390, 1280])('fits a window of %i px with its report', async (width) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await open(CONTEXT, { as: EDITOR, width, height: 900, colorScheme });
      await page.getByLabel('Skip lines that cannot be read').check();
      const first = 100 + 2 * width + (colorScheme === 'dark' ? 1 : 0);
      const bad = Array.from({ length: 20 }, (_, i) => `nonsense ${i}`).join('\n');
      await choose(`${'a-long-name-'.repeat(12)}.log`, `${connLog(1, first)}${bad}\n`);
      await importIt();
      await page.getByText('20 lines could not be read.').waitFor();
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(await violations(page)).toEqual([]);
      await dashboard.shoot(`upload-${width}-${colorScheme}`);
    }
  });
});

describeInBrowser('a server that takes no files', (openAt) => {
  it('says so in place of the form', async () => {
    const lab = await startUploadLab({ settings: { uploadBytes: 0 } });
    const { page } = await openAt(`${lab.url}/?view=add&context=${CONTEXT}`, { as: EDITOR });
    await page.getByText('Uploads are switched off on this server').waitFor();
    expect(await page.getByLabel('Log file').count()).toBe(0);
    await lab.close();
  });
});
