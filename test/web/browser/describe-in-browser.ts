import type { BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { launch } from '../../explorer/explorer-page.ts';
import { type DashboardPage, type Opening, openContext, openDashboard } from './dashboard-page.ts';

/** Opens the dashboard at an address. It is closed after the test. */
type OpenAt = (address: string, opening?: Opening) => Promise<DashboardPage>;

/**
 * Declares tests in one browser. A test fails if the browser complains about a page that it opened.
 */
export function describeInBrowser(name: string, declareTests: (openAt: OpenAt) => void): void {
  describe(name, { timeout: 180_000 }, () => {
    let context: BrowserContext;
    let opened: DashboardPage[] = [];

    beforeAll(async () => {
      context = await openContext(await launch());
    });

    afterAll(() => context?.close());

    afterEach(async () => {
      const pages = opened;
      opened = [];
      const complaints = pages.flatMap((page) => page.complaints);
      for (const page of pages) await page.close();
      expect(complaints).toEqual([]);
    });

    declareTests(async (address, opening) => {
      const page = await openDashboard(context, address, opening);
      opened.push(page);
      return page;
    });
  });
}
