import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { LiveTopKeysSubscription } from '../../../web/generated/operations.ts';
import { group, guidOf } from '../../support/lab/lab.ts';
import { ADA, type TestService } from '../../support/lab/service.ts';
import { type DashboardPage, holdRequests, type Looks } from './dashboard-page.ts';
import { describeInBrowser } from './describe-in-browser.ts';
import { HOSTS, hostKey, hostName, startPageLab, TEN } from './page-lab.ts';
import { type StreamStandIn, standBefore } from './stream-stand-in.ts';

const VIEW = `?context=lab&group=${HOSTS.slice(1, -1)}&meter=0&tz=UTC`;

type LiveContext = NonNullable<LiveTopKeysSubscription['contextChanged']>;

describeInBrowser('the live page in a browser', (openAt) => {
  let lab: TestService;
  let standIn: StreamStandIn;
  let dashboard: DashboardPage;

  beforeAll(async () => {
    lab = await startPageLab();
    standIn = await standBefore(lab.url);
  }, 120_000);

  afterAll(async () => {
    await standIn?.close();
    await lab?.close();
  });

  afterEach(() => standIn.mend());

  /** The answer to the page's query, from which the stand-in's events are made. */
  let base: LiveContext;

  const open = async (search: string, looks: Looks = {}) => {
    dashboard = await openAt(`${standIn.url}/${search}`, looks);
    const { page } = dashboard;
    page.on('response', async (response) => {
      const { operationName } = response.request().postDataJSON() ?? {};
      if (!/^TopKeys/.test(operationName)) return;
      base = (await response.json()).data.context;
    });
    await dashboard.signIn();
    return dashboard;
  };

  const follows = (count = 1) => expect.poll(() => standIn.open().length).toBe(count);

  /** The base, moved by some minutes, with its first keys in another order, and at most so many. */
  const moved = (minutes: number, order: readonly number[] = [], items = 100): object => {
    const context = structuredClone(base) as Mutable<LiveContext>;
    const seconds = minutes * 60;
    const move = (span: { from: number; to: number } | null) => {
      if (!span) return;
      span.from += seconds;
      span.to += seconds;
    };
    if (context.totalWindow) context.totalWindow.to += seconds;
    const { table, chart } = context.counterGroup ?? {};
    if (!table || !chart) throw new Error('the base has no table');
    move(table.window);
    if (table.availableWindow) table.availableWindow.to += seconds;
    for (const each of [...chart.keys.map(({ series }) => series), chart.matching.series]) {
      for (const point of each ?? []) point.at += seconds;
    }
    for (const list of [table.keys, chart.keys]) {
      const first = order.flatMap((index) => list[index] ?? []);
      const rest = list.filter((each) => !first.includes(each));
      list.splice(0, list.length, ...([...first, ...rest].slice(0, items) as never[]));
    }
    table.keys.forEach((row, index) => {
      row.rank = index + 1;
    });
    return { data: { contextChanged: context } };
  };

  it('goes live by its switch, from a fixed window to a moving one of the same length', async () => {
    const { page, settled } = await open(`${VIEW}&window=${TEN}-${TEN + 3600}`);
    expect(standIn.open()).toEqual([]);
    const live = page.getByRole('button', { name: 'Live', exact: true });
    expect(await live.getAttribute('title')).toBe(
      'Show the newest 1 hour and follow the data as it arrives',
    );
    await live.click();
    await settled();
    expect(page.url()).toContain('window=1h&live=1');
    await follows();
    expect(standIn.open()[0]).toMatchObject({
      operationName: 'LiveTopKeys',
      variables: { context: 'lab', window: { recentSeconds: 3600 } },
    });
    await live.click();
    await follows(0);
    expect(page.url()).not.toContain('live');
  });

  it('opens the panel of a key beside the view', async () => {
    const { page, shoot } = await open(`${VIEW}&window=1h&live=1&key=${hostKey(0)}`);
    await follows();
    await shoot('live-panel');
    const view = await page.locator('.view').boundingBox();
    const panel = await page.getByRole('complementary').boundingBox();
    expect(panel?.x).toBeGreaterThanOrEqual((view?.x ?? 0) + (view?.width ?? 0));
    expect(panel?.y).toBe(view?.y);
  });

  it('updates figures, ranks and the chart in place, and moves nothing else', async () => {
    const looks = { height: 600 };
    const { page, settled, labels, shoot } = await open(`${VIEW}&window=1h&live=1`, looks);
    await follows();
    const before = await labels();
    await page.locator('.key-link').nth(2).focus();
    await page.evaluate('document.querySelector("tbody").mark = 1; scrollTo(0, 200)');
    const canvas = await page.locator('.chart canvas').elementHandle();
    await standIn.send(moved(10, [2, 0, 1]));
    const after = [before[2], before[0], before[1], ...before.slice(3)];
    await expect.poll(labels).toEqual(after);
    await shoot('live-moving');
    expect(await page.locator('.summary-window time').textContent()).toContain('11:10 – 12:10');
    expect(await page.evaluate('document.activeElement.textContent')).toBe(before[2]);
    expect(await page.evaluate('[document.querySelector("tbody").mark, scrollY]')).toEqual([
      1, 200,
    ]);
    expect(await canvas?.evaluate((element) => element.isConnected)).toBe(true);
    await settled();
  });

  it('focuses the row that takes the place of one that is no longer listed', async () => {
    const { page, labels } = await open(`${VIEW}&window=1h&live=1&top=10`);
    await follows();
    const before = await labels();
    await page.locator('.key-link').nth(9).focus();
    await standIn.send(moved(1, [], 9));
    await expect.poll(labels).toEqual(before.slice(0, 9));
    const focused = () => page.evaluate('document.activeElement.textContent');
    await expect.poll(focused).toBe(before[8]);
    await page.locator('.is-act button').nth(2).focus();
    await standIn.send(moved(2, [0, 1, 3, 4, 5, 6, 7, 8], 8));
    await expect.poll(labels).toHaveLength(8);
    await expect
      .poll(() => page.evaluate('document.activeElement.title'))
      .toBe(`Hide ${before[3]} and rank again`);
  });

  it('keeps an open panel, and loads its key again', async () => {
    const { page, settled, asked, forget, shoot } = await open(`${VIEW}&window=1h&live=1`);
    await page.locator('.key-link').first().click();
    await settled();
    await follows();
    await standIn.send(moved(1));
    forget();
    await standIn.send(moved(2));
    const names = () => asked.map(({ operationName }) => operationName);
    await expect.poll(() => names().filter((name) => name !== 'Earlier')).toEqual(['KeyPanel']);
    await shoot('live-panel');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
  });

  it('keeps one stream for what is shown, and none while the tab is hidden', async () => {
    const { page, settled } = await open(`${VIEW}&window=1h&live=1`);
    await follows();
    await page.getByRole('combobox', { name: 'Keys', exact: true }).selectOption('Top 20');
    await settled();
    await expect
      .poll(() => standIn.open().map(({ variables }) => variables['items']))
      .toEqual([20]);
    await hide(true);
    await follows(0);
    await hide(false);
    await follows();
    await page.getByRole('link', { name: 'Storage' }).click();
    await follows(0);

    async function hide(isHidden: boolean) {
      await page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    }
  });

  it('says that the connection is lost, and reconnects', async () => {
    const { page, shoot } = await open(`${VIEW}&window=1h&live=1`);
    await follows();
    await standIn.send(moved(0));
    const note = page.locator('.live-note');
    expect(await note.count()).toBe(0);
    standIn.cut();
    await note.waitFor();
    expect(await note.textContent()).toMatch(/^Connection lost\. Reconnecting\./);
    await shoot('live-lost');
    standIn.mend();
    await page.evaluate('dispatchEvent(new Event("online"))');
    await follows();
    await standIn.send(moved(0));
    await expect.poll(() => note.count()).toBe(0);
    standIn.complete();
    await note.waitFor();
    await page.evaluate('dispatchEvent(new Event("online"))');
    await follows();
  });

  it('says that the newest data cannot be read or shown, and follows again', async () => {
    const { page, labels, complaints } = await open(`${VIEW}&window=1h&live=1`);
    await follows();
    const before = await labels();
    const note = page.locator('.live-note');
    const followsAgain = async (order: readonly number[]) => {
      await follows(0);
      await page.evaluate('dispatchEvent(new Event("online"))');
      await follows();
      await standIn.send(moved(0, order));
      await expect.poll(() => note.count()).toBe(0);
      await expect.poll(labels).toEqual([...order.map((i) => before[i]), ...before.slice(2)]);
    };
    await standIn.sendText('<html>');
    await expect
      .poll(() => note.textContent())
      .toMatch(/^Connection lost\. Reconnecting\. The server sent an event that is not JSON\./);
    await followsAgain([1, 0]);
    // No server sends this: it stands for any mistake in the page.
    await standIn.send({ data: { contextChanged: null }, errors: {} });
    await expect
      .poll(() => note.textContent())
      .toMatch(/^The newest data cannot be shown\. Retrying\. The page has an error: /);
    expect(complaints.splice(0)).toEqual([expect.stringContaining('TypeError')]);
    await followsAgain([0, 1]);
  });

  it('says that no new data arrive', async () => {
    const { page, labels, shoot } = await open(`${VIEW}&window=1h&live=1`);
    await follows();
    const before = await labels();
    await standIn.send(moved(0, [1, 0]));
    // The answer must be there before the clock jumps, or the stream seems to have been silent.
    await expect.poll(labels).toEqual([before[1], before[0], ...before.slice(2)]);
    await page.clock.install();
    await page.clock.fastForward('07:00');
    await expect
      .poll(() => page.locator('.live-note').textContent())
      .toMatch(/^No new data for [67] minutes\. The data ends at .*15 Jul 2024, 12:00\./);
    await shoot('live-no-data');
    await standIn.send(moved(5));
    await expect.poll(() => page.locator('.live-note').count()).toBe(0);
  });

  it('signs out a user whose token is revoked', async () => {
    const { page } = await open(`${VIEW}&window=1h&live=1`);
    await follows();
    const message = 'Invalid API token';
    await standIn.send({
      data: null,
      errors: [{ message, extensions: { code: 'UNAUTHENTICATED' } }],
    });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.locator('.sign-in-reason').textContent()).toContain('Sign in again');
    await follows(0);
  });

  it('does not use more memory, however many answers arrive', async () => {
    const { page } = await open(`${VIEW}&window=1h&live=1&top=20`);
    await follows();
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const held = async () => {
      await session.send('HeapProfiler.collectGarbage');
      const { metrics } = await session.send('Performance.getMetrics');
      const of = (name: string) => metrics.find((each) => each.name === name)?.value ?? 0;
      return {
        heap: of('JSHeapUsedSize'),
        nodes: of('Nodes'),
        listeners: of('JSEventListeners'),
      };
    };
    const sendMany = async (count: number, from: number) => {
      for (let i = 0; i < count; i += 1)
        await standIn.send(moved(from + i, [i % 3, (i + 1) % 3, (i + 2) % 3]));
      const last = from + count - 1;
      await expect
        .poll(() => page.locator('.summary-window time').getAttribute('datetime'), {
          timeout: 60_000,
        })
        .toBe(new Date((TEN + 3600 + last * 60) * 1000).toISOString());
    };
    await sendMany(60, 1);
    const before = await held();
    await sendMany(300, 61);
    const after = await held();
    expect(after.nodes).toBeLessThan(before.nodes + 200);
    expect(after.listeners).toBeLessThan(before.listeners + 50);
    expect(after.heap).toBeLessThan(before.heap + 2_000_000);
  });

  it('shows the first data of a context that had no groups', async () => {
    const context = 'fresh';
    await lab.apply({ context });
    await lab.grant(ADA, [context]);
    dashboard = await openAt(`${lab.url}/?view=top&context=${context}&window=1h&live=1`, {
      as: ADA,
    });
    const { page, labels } = dashboard;
    await page.getByText('has no data yet').waitFor();
    await page.locator('.is-live.is-open').waitFor();
    await lab.apply({ context, groups: [group(9, { name: 'Later' })] });
    await lab.importSamples([{ group: guidOf(9), key: 'first', ts: TEN, values: { 0: 1 } }], {
      context,
    });
    await expect.poll(labels).toEqual(['first']);
  });

  it('follows what is committed, as the server announces it', async () => {
    dashboard = await openAt(`${lab.url}/${VIEW}&window=1h&live=1`, { as: ADA });
    const { page, labels, forget, asked } = dashboard;
    await page.locator('.is-live.is-open').waitFor();
    expect((await labels())[0]).toBe(hostName(0));
    forget();
    await lab.importSamples([
      { group: HOSTS, key: hostKey(3), ts: TEN + 7260, values: { 0: 900_000_000 } },
    ]);
    await expect.poll(async () => (await labels())[0]).toBe(hostName(3));
    expect(await page.locator('.summary-window time').textContent()).toContain('11:02 – 12:02');
    expect(asked.filter(({ operationName }) => operationName !== 'Earlier')).toEqual([]);
  });

  it('keeps the share of a key without hidden ones until both answers are there', async () => {
    const search = `${VIEW}&window=1h&live=1&hide=${hostKey(1)}&key=${hostKey(0)}`;
    dashboard = await openAt(`${lab.url}/${search}`, { as: ADA });
    const { page } = dashboard;
    await page.locator('.is-live.is-open').waitFor();
    const share = page.locator('.facts .fact').filter({ hasText: 'Share' });
    const before = await share.innerText();
    expect(before).toContain('%');
    const release = await holdRequests(page);
    const asking = page.waitForRequest((request) => /KeyPanel/.test(request.postData() ?? ''));
    await lab.importSamples([
      { group: HOSTS, key: hostKey(2), ts: TEN + 7320, values: { 0: 900_000_000 } },
    ]);
    await asking;
    await expect
      .poll(() => page.locator('.summary-window time').textContent())
      .toContain('11:03 – 12:03');
    expect(await share.innerText()).toBe(before);
    release();
    await expect.poll(() => share.innerText()).toMatch(/[\d.]+\s*%/);
    await expect.poll(() => share.innerText()).not.toBe(before);
  });
});

type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;
