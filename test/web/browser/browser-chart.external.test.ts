import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADA, type TestService } from '../../support/lab/service.ts';
import type { DashboardPage } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { HOSTS, startPageLab, TEN } from './page-lab.ts';

const viewOf = (more = '') =>
  `?context=lab&group=${HOSTS.slice(1, -1)}&meter=0&window=${TEN}-${TEN + 7200}${more}&tz=UTC`;

describeInBrowser('the chart of top keys', (openAt) => {
  let lab: TestService;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startPageLab();
  }, 120_000);

  afterAll(() => lab?.close());

  const open = async (search: string) => {
    dashboard = await openAt(`${lab.url}/${search}`, { as: ADA });
    return dashboard;
  };

  const earlierKey = () => dashboard.page.locator('.chart-card .earlier-key');

  it('has the earlier window as a line, named in words, also for a single key', async () => {
    const { page, shoot } = await open(viewOf('&vs=day&key=0A.00.00.0A'));
    const named = /A day earlier: Sun 14 Jul 2024, 10:00 – 12:00/;
    await expect.poll(() => earlierKey().textContent()).toMatch(named);
    await expect.poll(() => page.locator('.panel .earlier-key').textContent()).toMatch(named);
    await page.locator('.chart-card .chart-place').focus();
    await page.keyboard.press('Home');
    const row = page.locator('.chart-card .readout-earlier');
    await expect.poll(() => row.textContent()).toMatch(/Sun 14 Jul 2024, 10:00 – 10:01/);
    // The lab has the same readings on both days.
    const total = await page.locator('.chart-card .readout-total .number').textContent();
    expect(await row.locator('.number').textContent()).toBe(total);
    await shoot('earlier');
  });

  it('says so if nothing, or only a part, of the earlier window is stored', async () => {
    const { page } = await open(viewOf('&vs=week'));
    await expect
      .poll(() => earlierKey().textContent())
      .toMatch(/^A week earlier: .*Nothing is stored/);
    const cut = `window=${TEN - 600}-${TEN + 7200}`;
    await page.goto(`${lab.url}/${viewOf('&vs=day').replace(/window=\d+-\d+/, cut)}`);
    await expect
      .poll(() => earlierKey().textContent())
      .toMatch(/A day earlier: .*Stored from Sun 14 Jul 2024, 10:00 on/);
  });
});
