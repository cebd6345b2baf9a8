import { afterAll, beforeAll, expect, it } from 'vitest';
import { group, meter, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, type TestService } from '../../support/lab/service.ts';
import { violations } from './axe-violations.ts';
import type { DashboardPage, Looks } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { HOSTS, hostKey, hostName, PAIRS, startPageLab, TEN } from './page-lab.ts';

const viewOf = (group: string, more = '') =>
  `?context=lab&group=${group.slice(1, -1)}&meter=0&window=${TEN}-${TEN + 7200}&tz=UTC${more}`;

describeInBrowser('the field for filters', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startPageLab();
  }, 120_000);

  afterAll(() => lab?.close());

  const open = async (search: string, looks: Looks = {}) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: ADA, ...looks });
    return dashboard;
  };

  const field = () => dashboard.page.getByRole('combobox', { name: /^(Filter |Search )/ });

  const options = () => dashboard.page.locator('.search-list [role="option"]');

  it('suggests keys, of which the arrow keys choose one exactly', async () => {
    const { page, labels, shoot } = await open(viewOf(HOSTS));
    await page.keyboard.press('/');
    await page.keyboard.type('host-1');
    // The text, and host-10 to host-13; host-1 has another name.
    await expect.poll(() => options().count()).toBe(5);
    await expect.poll(() => field().getAttribute('aria-activedescendant')).toMatch(/-0$/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const active = page.locator('.search-list [aria-selected="true"]');
    await expect.poll(() => active.textContent()).toContain(hostName(11));
    expect(await violations(page)).toEqual([]);
    await shoot('filter-suggestions');
    await page.keyboard.press('Enter');
    await expect.poll(labels).toEqual([hostName(11)]);
    expect(page.url()).toContain(`only=${hostKey(11)}`);
    await page.getByRole('button', { name: `Key: ${hostName(11)}` }).waitFor();
  });

  it('leads to the group of what is found elsewhere, and filters pairs by their port', async () => {
    const { page, labels, settled } = await open(viewOf(HOSTS));
    await field().fill('443');
    await expect.poll(() => options().first().textContent()).toBe('Port443in Apps');
    await page.keyboard.press('Enter');
    await expect.poll(labels).toEqual(['https']);
    await page.goto(`${lab.url}/${viewOf(PAIRS)}`);
    await settled();
    await field().fill('22');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await labels())[0]).toMatch(/× ssh$/);
    expect((await labels()).every((label) => label.endsWith('× ssh'))).toBe(true);
    await page.getByRole('button', { name: 'Port: 22' }).waitFor();
  });

  it('edits and removes filters by keyboard', async () => {
    const { page, labels, shoot } = await open(
      viewOf(HOSTS, '&cidr=10.0.0.8/30&cidr=10.0.0.12/30'),
    );
    await expect.poll(labels).toHaveLength(6);
    await page.keyboard.press('/');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => field().inputValue()).toBe('10.0.0.12/30');
    await page.keyboard.press('End');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('2');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('1');
    await page.keyboard.press('Enter');
    await expect.poll(labels).toHaveLength(4);
    expect(page.url()).toContain('cidr=10.0.0.8/30&cidr=10.0.0.12/31');
    await shoot('filter-chips');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Delete');
    await expect.poll(labels).toHaveLength(2);
    await page.keyboard.press('Delete');
    await expect.poll(labels).toHaveLength(10);
    expect(await field().evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it('shows what a network uses, its share of all, and the way to its pairs', async () => {
    const { page, labels, shoot } = await open(viewOf(HOSTS));
    await page.keyboard.press('/');
    await page.keyboard.type('10.0.0.10/30');
    await page.keyboard.press('Enter');
    const matching = page.getByRole('region', { name: 'What passes the filter' });
    await expect
      .poll(() => matching.getByRole('heading').textContent())
      .toBe('Network 10.0.0.8/30');
    // Two of 14 hosts: 504 and 468 of 3,424 MB.
    await expect
      .poll(() => matching.locator('dl').textContent())
      .toMatch(/^Total of these972 MBShare of all28\.4 %.*Keys2\s*$/);
    await expect.poll(labels).toEqual([hostName(0), hostName(1)]);
    await shoot('filter-network');
    await matching.getByRole('link', { name: 'Hosts × Apps' }).click();
    await expect.poll(labels).toHaveLength(4);
    expect(page.url()).toContain('cidr=10.0.0.8/30');
  });

  it('says what a network has of the traffic, with what passes within it once', async () => {
    const bytes = [{ ...meter(0, 2, 'Total bytes'), units: 'bytes' }];
    const crosskey = { parentguid: HOSTS, crosskeyguid_1: HOSTS };
    const inside = '0A.00.00.01';
    const beside = '0A.00.00.02';
    const outside = 'C0.00.02.01';
    const far = 'C0.00.02.02';
    const ofPairs = await startLab({
      groups: [
        group(1, { name: 'Hosts', key_kind: 'ipv4', meters: bytes }),
        group(3, { name: 'Pairs', key_kind: 'crosskey', crosskey, meters: bytes }),
      ],
      lines: [
        [inside, 700] as const,
        [beside, 600] as const,
        [outside, 500] as const,
        [far, 200] as const,
        [`${inside}\\${beside}`, 500] as const,
        [`${inside}\\${outside}`, 200] as const,
        [`${beside}\\${outside}`, 100] as const,
        [`${outside}\\${far}`, 200] as const,
      ].map(([key, value]) => ({
        group: key.includes('\\') ? PAIRS : HOSTS,
        key,
        ts: T0,
        values: { 0: value },
      })),
    });
    try {
      const search = `?context=lab&group=${HOSTS.slice(1, -1)}&window=all&cidr=10.0.0.0/24`;
      const { page } = await openAt(`${ofPairs.url}/${search}`, { as: ADA });
      const matching = page.getByRole('region', { name: 'What passes the filter' });
      await matching.getByText('each byte counted once').waitFor();
      const text = (await matching.textContent())?.replaceAll('\u00a0', ' ');
      expect(text).toContain('Total of these1.30 kBShare of all65.0 %');
      expect(text).toContain(
        '800 B of traffic, 80.0 % of all: each byte counted once, as in Pairs.',
      );
    } finally {
      await ofPairs.close();
    }
  });

  it('says why a text cannot be left out', async () => {
    const { page } = await open(viewOf(HOSTS));
    await field().fill('-nobody-at-all');
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('cannot be left out');
    await page.keyboard.press('Enter');
    expect(page.url()).not.toContain('nobody');
  });

  it.each(['storage', 'alerts', 'add'])(
    'is in the view %s, and leads to top keys',
    async (view) => {
      const { page, labels } = await open(`?view=${view}&context=lab&find=x&tz=UTC`);
      await page.keyboard.press('/');
      await page.keyboard.type('host-13');
      await expect.poll(() => options().count()).toBe(2);
      await options().last().click();
      await expect.poll(labels).toEqual([hostName(13)]);
      expect(page.url()).not.toContain('find=x');
    },
  );

  it('leaves the key / to where text is typed', async () => {
    const { page } = await open(viewOf(HOSTS));
    await field().focus();
    await page.keyboard.type('a/b');
    expect(await field().inputValue()).toBe('a/b');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Time:/ }).click();
    await page.getByLabel('From', { exact: true }).focus();
    await page.keyboard.press('/');
    expect(await field().evaluate((element) => element === document.activeElement)).toBe(false);
  });

  it('is above the answer on a phone, with the other controls behind one button', async () => {
    const { page, settled, shoot } = await open(viewOf(HOSTS, '&cidr=10.0.0.0/8&hide=x'), {
      width: 390,
      height: 844,
    });
    const top = (await page.locator('h1').boundingBox())?.y ?? 999;
    expect(top).toBeLessThan(260);
    await shoot('filter-phone');
    const group = page.getByRole('combobox', { name: 'Group' });
    expect(await group.isVisible()).toBe(false);
    await page.getByRole('button', { name: /^Hosts · / }).click();
    await group.selectOption('Apps');
    await settled();
    await expect.poll(() => page.locator('h1').textContent()).toContain('Apps');
  });

  it('has a notice above it if the address was not understood', async () => {
    const { page, shoot, labels } = await open(viewOf(HOSTS, '&top=7&vs=x&colour=share'));
    const notice = page.locator('.address-notice');
    await expect
      .poll(() => notice.textContent())
      .toMatch(/vs=x must be before, day or week\. .*top=7 must be 10, 20, 50 or 100\..*colour/);
    expect(await violations(page)).toEqual([]);
    await shoot('address-notice');
    await expect.poll(labels).toHaveLength(10);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await notice.waitFor({ state: 'detached' });
  });
});
