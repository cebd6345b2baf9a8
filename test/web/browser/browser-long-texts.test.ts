import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, launch } from '../../explorer/explorer-page.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import type { TestService } from '../../support/lab/service.ts';
import { type DashboardPage, openDashboard, overflowOf } from './dashboard-page.ts';

const chromium = findChromium();

/** The longest text key. */
const KEY = 'k'.repeat(512);
const TOP = `?context=lab&group=${guidOf(1).slice(1, -1)}&meter=0&window=all&tz=UTC`;

describe.skipIf(!chromium)('the dashboard with long texts', { timeout: 120_000 }, () => {
  let lab: TestService;
  let browser: Browser;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startLab({
      groups: [group(1, { name: 'Autonomous_System_Interface_Pairs_Of_Routers' })],
      lines: [KEY, 'short'].map((key) => ({ group: guidOf(1), key, ts: T0, values: { 0: 1 } })),
    });
    browser = await launch(chromium ?? '');
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await lab?.close();
  });

  afterEach(() => dashboard?.close());

  it.each([
    ['top', TOP],
    ['find', `${TOP}&find=${KEY}`],
    ['hide', `${TOP}&hide=${KEY}`],
    ['key', `${TOP}&key=${KEY}`],
    ['trend', `${TOP}&view=trend`],
    ['trend-table', `${TOP}&view=trend&form=table`],
    ['storage', '?view=storage&context=lab&tz=UTC'],
  ])('does not scroll sideways: %s', async (name, search) => {
    dashboard = await openDashboard(browser, `${lab.url}/${search}`);
    const { page, signIn, settled, shoot } = dashboard;
    await signIn();
    for (const width of [320, 720, 1200]) {
      await page.setViewportSize({ width, height: 900 });
      await settled();
      await shoot(`long-${name}-${width}`);
      expect(await overflowOf(page), `${width} px wide`).toBeLessThanOrEqual(0);
    }
  });
});
