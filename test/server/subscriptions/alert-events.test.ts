import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addUser } from '../../../access/users.ts';
import { type AlertLab, GROUP, reading, startAlertLab, windowEnd } from '../../alerts/alert-lab.ts';
import { rotateToken } from '../../support/database/rotate-token.ts';
import { type OpenStream, openStream } from '../../support/http/event-stream.ts';
import { group, guidOf } from '../../support/lab/lab.ts';
import { labelKey } from '../../support/lab/label-key.ts';
import { ADA, basic, CONTEXT, type Credentials } from '../../support/lab/service.ts';

const BOB: Credentials = { username: 'bob', token: 'bob-token' };

let lab: AlertLab;
let open: OpenStream[] = [];

beforeEach(async () => {
  lab = await startAlertLab({ groups: [group(1), group(2)] });
  await lab.importSamples([inWindow(1, 'z', 1)]);
  await lab.declare({ big: { when: { key_above: 10 } } });
});

afterEach(async () => {
  for (const stream of open) stream.close();
  open = [];
  await lab.close();
});

const inWindow = (n: number, key: string, value: number) => reading(key, n * 300 - 60, value);

/** Imports readings, and evaluates all windows that are then due. */
async function decideWith(...lines: ReturnType<typeof reading>[]): Promise<void> {
  await lab.importSamples(lines);
  await lab.decideAlertsNow();
}

const FOLLOW = `subscription ($context: String!) { it: alertEvents(context: $context) {
  id startedAt endedAt value peakValue key { key label } alert { name severity } } }`;

/** Opens a stream, which receives everything that happens from now on. */
async function follow(credentials = ADA, context = CONTEXT): Promise<OpenStream> {
  const variables = { context };
  const stream = await openStream(lab.url, FOLLOW, { headers: basic(credentials), variables });
  open.push(stream);
  if (stream.status === 200) await stream.heard(': following');
  return stream;
}

type Event = {
  id: string;
  startedAt: number;
  endedAt: number | null;
  key: { key: string; label: string } | null;
  alert: { name: string };
};

/** Returns the next message as `key from-to`, in windows. */
async function next(stream: OpenStream): Promise<string> {
  const { it: event } = await stream.answer<{ it: Event }>();
  return spanOf(event);
}

async function take(stream: OpenStream, count: number): Promise<string[]> {
  const spans: string[] = [];
  for (let i = 0; i < count; i += 1) spans.push(await next(stream));
  return spans;
}

const windowOf = (end: number): number => (end - windowEnd(0)) / 300;

const spanOf = ({ key, startedAt, endedAt }: Event): string =>
  `${key?.key ?? '*'} ${windowOf(startedAt)}-${endedAt === null ? '' : windowOf(endedAt)}`;

const COMPLETE = { event: 'complete', data: {} };
const NULL = { event: 'next', data: { data: { it: null } } };

const ending = (code: string) => [
  { event: 'next', data: { errors: [{ extensions: { code } }] } },
  COMPLETE,
];

describe('events of alerts in a subscription', () => {
  it('are first the firing ones, then each as it begins and as it ends', async () => {
    await labelKey(lab, guidOf(1), ['a', 'Big A']);
    await decideWith(inWindow(2, 'a', 11), inWindow(3, 'a', 20), inWindow(4, 'a', 1));
    const stream = await follow();
    expect(stream.status).toBe(200);
    expect((await stream.answer<{ it: Event }>()).it).toEqual({
      id: expect.any(String),
      startedAt: windowEnd(2),
      endedAt: null,
      value: 11,
      peakValue: 20,
      key: { key: 'a', label: 'Big A' },
      alert: { name: 'big', severity: 'warning' },
    });
    await decideWith(inWindow(5, 'b', 12), inWindow(6, 'z', 1));
    expect(await take(stream, 2)).toEqual(['a 2-4', 'b 5-']);
    await decideWith(inWindow(8, 'z', 1));
    expect(await next(stream)).toEqual('b 5-6');
  });

  it('are sent again when somebody acknowledges them', async () => {
    await lab.write((to) =>
      addUser(to, { name: ADA.username, contexts: [CONTEXT], role: 'editor' }),
    );
    await decideWith(inWindow(2, 'a', 11), inWindow(3, 'z', 1));
    const stream = await follow();
    const { it: event } = await stream.answer<{ it: Event }>();
    await lab.data('mutation ($id: ID!) { acknowledgeEvent(id: $id, note: "mine") { id } }', {
      id: event.id,
    });
    expect(await stream.answer()).toMatchObject({ it: { id: event.id, endedAt: null } });
    await decideWith(inWindow(5, 'z', 1));
    expect(await next(stream)).toBe('a 2-3');
  });

  it('that begin and end many times in one evaluation arrive in order, each as it was', async () => {
    const stream = await follow();
    await decideWith(
      ...[2, 4, 6].map((n) => inWindow(n, 'a', 11)),
      ...[3, 4].map((n) => inWindow(n, 'b', 12)),
      inWindow(9, 'z', 1),
    );
    const told = await take(stream, 8);
    expect(told.filter((span) => span.startsWith('a'))).toEqual([
      'a 2-',
      'a 2-3',
      'a 4-',
      'a 4-5',
      'a 6-',
      'a 6-7',
    ]);
    expect(told.filter((span) => span.startsWith('b'))).toEqual(['b 3-', 'b 3-5']);
  });

  it('reach every reader exactly once, whenever it connected', async () => {
    const readers: { stream: OpenStream; since: number }[] = [];
    const changes: string[] = [];
    for (let n = 2; n < 18; n += 1) {
      readers.push({ stream: await follow(), since: changes.length });
      const keys = ['a', 'b', 'c'].filter((_, i) => (n * (i + 3)) % 4 < 2);
      await decideWith(...keys.map((key) => inWindow(n, key, 11)), inWindow(n, 'z', 1));
      const rows = await lab.sql<{ change: string }>(
        `select e.key || ' ' || (e.started_at - $1) / 300 || '-'
           || case c.change when 'ended' then ((e.ended_at - $1) / 300)::text else '' end as change
         from alert_changes c join alert_events e using (event_id) order by c.number`,
        [windowEnd(0)],
      );
      changes.push(...rows.slice(changes.length).map(({ change }) => change));
    }
    expect(changes.length).toBeGreaterThan(12);
    for (const { stream, since } of readers) {
      // A reader first gets the events that had begun and not ended when it connected.
      const before = changes.slice(0, since);
      const firing = before.filter(
        (change) =>
          change.endsWith('-') &&
          !before.some((end) => !end.endsWith('-') && end.startsWith(change)),
      );
      const expected = [...firing, ...changes.slice(since)];
      const told = await take(stream, expected.length);
      expect(told.slice(0, firing.length).sort()).toEqual(firing.sort());
      expect(told.slice(firing.length)).toEqual(changes.slice(since));
      expect(stream.messages).toHaveLength(expected.length);
    }
  });

  it('end when their rule is changed', async () => {
    const stream = await follow();
    await decideWith(inWindow(2, 'a', 11), inWindow(3, 'a', 11), inWindow(4, 'z', 1));
    expect(await next(stream)).toBe('a 2-');
    await lab.declare({ big: { when: { key_above: 5 } } });
    expect(await next(stream)).toBe('a 2-3');
  });

  it('end with an error if their group is disabled, because nothing says when they end', async () => {
    const stream = await follow();
    await decideWith(inWindow(2, 'a', 11), inWindow(3, 'a', 11), inWindow(4, 'z', 1));
    expect(await next(stream)).toBe('a 2-');
    await lab.apply({
      context: CONTEXT,
      groups: [{ guid: GROUP, enabled: false }],
      alerts: [{ name: 'big', remove: true }],
    });
    await stream.ended;
    expect(stream.messages.slice(1)).toMatchObject(ending('BACKEND'));
  });

  it('arrive even if the notification of their change is lost', async () => {
    const stream = await follow();
    await decideWith(inWindow(2, 'a', 11), inWindow(3, 'a', 11), inWindow(4, 'a', 11));
    expect(await next(stream)).toBe('a 2-');
    await lab.sql(
      `with ended as (update alert_events set ended_at = $1 returning event_id, context_id),
         counter as (update alert_change_counters set last = last + 1 returning last, nonce)
       insert into alert_changes select context_id, last, nonce, nonce, event_id, 'ended'
       from ended, counter`,
      [windowEnd(3)],
    );
    expect(await next(stream)).toBe('a 2-3');
  });

  it('continue after those that were sent have been deleted', async () => {
    await decideWith(inWindow(2, 'a', 11), inWindow(4, 'z', 1));
    const stream = await follow();
    await decideWith(inWindow(5, 'b', 11), inWindow(6, 'z', 1));
    expect(await next(stream)).toBe('b 5-');
    await decideWith(inWindow(8, 'z', 1));
    expect(await next(stream)).toBe('b 5-6');
    await lab.sql('delete from alert_events');
    await decideWith(inWindow(9, 'c', 11), inWindow(10, 'z', 1));
    expect(await next(stream)).toBe('c 9-');
  });

  it('are computed once for all readers of the same', async () => {
    const streams = [await follow(), await follow(), await follow()];
    await decideWith(inWindow(2, 'a', 11), inWindow(4, 'z', 1));
    for (const stream of streams) expect(await take(stream, 2)).toEqual(['a 2-', 'a 2-3']);
    const { text } = await lab.call('/metrics');
    expect(text).toMatch(/^countergraph_subscription_events_total 6$/m);
    expect(text).toMatch(/^countergraph_subscription_computations_total 1$/m);
  });
});

describe('a reader of alerts', () => {
  it('who is slow gets everything in order', async () => {
    const stream = await follow();
    stream.pause();
    const keys = Array.from({ length: 90 }, (_, i) => `${'k'.repeat(500)}${i}`);
    for (let n = 2; n < 30; n += 2) {
      await decideWith(...keys.map((key) => inWindow(n, key, 11)), inWindow(n + 1, 'z', 1));
    }
    await decideWith(inWindow(40, 'z', 1));
    const [counter] = await lab.sql<{ last: number }>(
      'select last::int as last from alert_change_counters',
    );
    expect(counter?.last).toBe(2 * 14 * keys.length);
    stream.resume();
    const told = await take(stream, counter?.last ?? 0);
    const ofFirst = told.filter((span) => span.startsWith(`${keys[0]} `));
    expect(ofFirst.map((span) => span.split(' ')[1])).toEqual(
      Array.from({ length: 14 }, (_, i) => 2 * i + 2).flatMap((n) => [`${n}-`, `${n}-${n + 1}`]),
    );
    expect(new Set(told).size).toBe(told.length);
  });

  it.each([
    [
      'who is too far behind',
      'BUSY',
      'update alert_change_counters set last = last + 100002, nonce = nonce + 1',
    ],
    [
      'who received what a failover has lost',
      'BACKEND',
      'update alert_change_counters set nonce = nonce + 1',
    ],
    [
      'who received more than a restore has kept',
      'BACKEND',
      'with gone as (delete from alert_changes) update alert_change_counters set last = 0, nonce = 7',
    ],
  ])('%s gets an error, and the stream ends', async (_, code, lose) => {
    const stream = await follow();
    await decideWith(inWindow(2, 'a', 11), inWindow(4, 'z', 1));
    await take(stream, 2);
    await lab.sql(lose);
    await lab.sql("select pg_notify('countergraph_alerts', context_id::text) from contexts");
    await stream.ended;
    expect(stream.messages.slice(2)).toMatchObject(ending(code));
    // A reader that reconnects gets what still exists.
    const again = await follow();
    await decideWith(inWindow(5, 'b', 11), inWindow(6, 'z', 1));
    expect(await next(again)).toBe('b 5-');
  });

  it('gets null, and the end, for a context that is not granted or does not exist', async () => {
    await lab.apply({ context: 'vault', groups: [group(1)] });
    await lab.addUser(BOB, ['vault']);
    for (const context of [CONTEXT, 'nowhere']) {
      const stream = await follow(BOB, context);
      await stream.ended;
      expect(stream.messages).toEqual([NULL, COMPLETE]);
    }
  });

  it('whose token is revoked gets nothing more', async () => {
    await lab.addUser(BOB, [CONTEXT]);
    const stream = await follow(BOB);
    const other = await follow();
    await lab.write((to) => rotateToken(to, BOB.username));
    await stream.ended;
    expect(stream.messages).toMatchObject(ending('UNAUTHENTICATED'));
    await decideWith(inWindow(2, 'a', 11), inWindow(4, 'z', 1));
    expect(await take(other, 2)).toEqual(['a 2-', 'a 2-3']);
    expect(stream.messages).toHaveLength(2);
  });

  it('gets the end of the stream when the server shuts down', async () => {
    const stream = await follow();
    await decideWith(inWindow(2, 'a', 11), inWindow(4, 'z', 1));
    await take(stream, 2);
    const ended = lab.close();
    await stream.ended;
    expect(stream.messages.at(-1)).toEqual(COMPLETE);
    await ended;
    lab = await startAlertLab();
  });

  it('must name the context', async () => {
    const stream = await openStream(lab.url, 'subscription { alertEvents { id } }');
    open.push(stream);
    await stream.ended;
    expect(stream.text()).toContain('BAD_USER_INPUT');
  });
});
