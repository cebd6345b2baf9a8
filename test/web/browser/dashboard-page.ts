import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { projectRoot } from '../../../db/project-root.ts';
import { openEmpty, openLastingContext } from '../../explorer/explorer-page.ts';
import { ADA, type Credentials } from '../../support/lab/service.ts';

/** The dashboard as a user sees it in a browser. */
export type DashboardPage = {
  readonly page: Page;
  /** Errors and warnings of the browser: of scripts, and of violations of the page's policy. */
  readonly complaints: string[];
  /** Bodies of the GraphQL requests since the last `forget`. */
  readonly asked: readonly AskedBody[];
  forget(): void;
  signIn(credentials?: Credentials): Promise<void>;
  /** Waits until nothing is loading, and what was requested is shown. */
  settled(): Promise<void>;
  /** Labels of the table's rows. */
  labels(): Promise<string[]>;
  /** Exact values of the table's rows. */
  volumes(): Promise<string[]>;
  /** Takes a screenshot if `COUNTERGRAPH_TEST_PICTURES=on` asks for them. */
  shoot(name: string): Promise<void>;
  close(): Promise<void>;
};

type AskedBody = {
  readonly query?: string;
  readonly documentId: string;
  readonly operationName: string;
  readonly variables: Readonly<Record<string, unknown>>;
};

/** How a page is opened. */
export type Opening = Looks & {
  /** Who is signed in already; by default, the page asks who it is. */
  readonly as?: Credentials;
};

export type Looks = {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
};

/** Where screenshots are stored for people to look at; git ignores it. */
const PICTURES = join(projectRoot(), 'test-results', 'dashboard');
const isWithPictures = process.env['COUNTERGRAPH_TEST_PICTURES'] === 'on';

/** A context whose pages share what the browser has loaded and compiled. */
export const openContext = (browser: Browser): Promise<BrowserContext> =>
  openLastingContext(browser, {
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    // A running animation paints all the time, and no test looks at one.
    reducedMotion: 'reduce',
  });

/** Opens the page, without data that another page has stored. */
export async function openDashboard(
  context: BrowserContext,
  address: string,
  { as, width = 1600, height = 1000, colorScheme = 'light' }: Opening = {},
): Promise<DashboardPage> {
  const page = await openEmpty(context, address);
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
  if (as) await page.addInitScript(signInOnce, as);
  const complaints: string[] = [];
  const asked: AskedBody[] = [];
  page.on('console', (message) => {
    // The browser reports refused requests too, but the page explains them itself.
    if (/Failed to load resource/.test(message.text())) return;
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const isQuestion = request.method() === 'POST' && request.url().endsWith('/graphql');
    if (isQuestion) asked.push(JSON.parse(request.postData() ?? '{}'));
  });
  await page.goto(address);
  const settled = async () => {
    // Not the one of the page that still loads what the user may choose.
    await page.locator('main#main').waitFor();
    await expect
      .poll(() => page.locator('[aria-busy="true"], .skeleton').count(), { timeout: 20_000 })
      .toBe(0);
  };
  const settledSignedIn = async () => {
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await settled();
  };
  if (as) await settledSignedIn();
  return {
    page,
    complaints,
    asked,
    settled,
    forget: () => {
      asked.length = 0;
    },
    async signIn({ username, token } = ADA) {
      await page.getByLabel('User').fill(username);
      await page.getByLabel('Token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await settledSignedIn();
    },
    labels: () => page.locator('.top-table tbody .key-link').allTextContents(),
    volumes: () =>
      page
        .locator('.top-table tbody .is-amount [title]')
        .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('title') ?? '')),
    async shoot(name) {
      if (!isWithPictures) return;
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
    },
    close: () => page.close(),
  };
}

/** Runs in the page, before its own scripts. After signing out, a reloaded page asks again. */
function signInOnce(session: Credentials): void {
  if (sessionStorage.getItem('test:opened')) return;
  sessionStorage.setItem('test:opened', 'yes');
  sessionStorage.setItem('countergraph:session', JSON.stringify(session));
}

/** By how many pixels the page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );

/** Holds all GraphQL requests from now on, until the returned function is called. */
export async function holdRequests(page: Page): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/graphql', async (route) => {
    await released;
    await route.continue();
  });
  return () => release();
}
