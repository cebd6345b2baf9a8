import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
import { expect } from 'vitest';
import { EXAMPLES } from '../../schema/documents/examples.ts';

/**
 * Finds Chromium, or a browser based on it, where it is usually installed; undefined: none. The
 * headless shell needs two thirds of the time.
 */
const CHROMIUM = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

let launched: Promise<Browser> | null = null;

/** The one browser of all test files in this process, with which it ends. Errors: there is none. */
export function launch(): Promise<Browser> {
  const executablePath = CHROMIUM.find((path) => existsSync(path));
  if (!executablePath) throw new Error('no browser: apt-get install chromium-headless-shell');
  launched ??= chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      // The pages of a test need no processes of their own.
      '--renderer-process-limit=1',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return launched;
}

type Editor = 'operation.graphql' | 'variables.json' | 'request-headers.json' | 'response.json';

/** The explorer as a user sees it in a browser. */
export type ExplorerPage = {
  readonly page: Page;
  /** Errors and warnings of the browser: of scripts, and of violations of the page's policy. */
  readonly complaints: readonly string[];
  /** Every address that was requested. */
  readonly requested: readonly string[];
  open(address: string): Promise<void>;
  example(title: string): ReturnType<Page['getByRole']>;
  tab(name: string): ReturnType<Page['getByRole']>;
  /** Presses play, and waits until the answer contains this text. */
  play(expected: string): Promise<void>;
  /** Waits until an editor shows this text. */
  shows(editor: Editor, expected: string): Promise<void>;
  write(editor: Editor, text: string): Promise<void>;
  close(): Promise<void>;
};

/** A context whose pages share what the browser has compiled: a page is 5 MB of script. */
export const openContext = (browser: Browser): Promise<BrowserContext> =>
  openLastingContext(browser, { viewport: { width: 1600, height: 900 } });

/**
 * A context with an empty page that stays open. A browser ends the process of a page when the last
 * page in it is closed, and a tenth of its time would pass with starting processes.
 */
export async function openLastingContext(
  browser: Browser,
  options: BrowserContextOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  await context.newPage();
  return context;
}

/** Opens an empty page for an address, whose stored data it removes. */
export async function openEmpty(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  const { origin } = new URL(address);
  const devTools = await context.newCDPSession(page);
  await devTools.send('Storage.clearDataForOrigin', { origin, storageTypes: STORED });
  await devTools.detach();
  // Cookies know no port.
  await context.clearCookies();
  return page;
}

/** Opens the page, without data that another page has stored. */
export async function openExplorer(
  context: BrowserContext,
  address: string,
): Promise<ExplorerPage> {
  const page = await openEmpty(context, address);
  const complaints: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  const onRequest = (request: Request) => requested.push(request.url());
  context.on('request', onRequest);

  const example = (title: string) => page.getByRole('button', { name: title, disabled: false });
  const textOf = (editor: Editor) => page.evaluate<string>(`${modelOf(editor)}.getValue()`);
  const shows = (editor: Editor, expected: string) =>
    expect.poll(() => textOf(editor), PATIENCE).toContain(expected);
  const explorer: ExplorerPage = {
    page,
    complaints,
    requested,
    example,
    shows,
    async open(url) {
      await page.goto(url);
      // The buttons are disabled until the editors are ready.
      for (const { title } of EXAMPLES) await example(title).waitFor();
    },
    tab: (name) => page.locator('.graphiql-tabs [aria-current="true"]', { hasText: name }),
    async play(expected) {
      await page.getByRole('button', { name: 'Execute query' }).click();
      await shows('response.json', expected);
    },
    write: (editor, text) => page.evaluate(`${modelOf(editor)}.setValue(${JSON.stringify(text)})`),
    async close() {
      context.off('request', onRequest);
      await page.close();
    },
  };
  await explorer.open(address);
  return explorer;
}

/** Not what it has cached. */
const STORED = 'cookies,local_storage,indexeddb';

const PATIENCE = { timeout: 20_000 };

const modelOf = (editor: Editor): string =>
  `monaco.editor.getModels().find(({ uri }) => uri.path.endsWith('${editor}'))`;
