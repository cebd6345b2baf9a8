import { EventEmitter } from 'node:events';
import { Counter, Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { NodeDirectory } from '../../../resolvers/node-directory.ts';
import { type News, shareOf, type ToChild } from '../../../server/processes/messages.ts';
import { ParentLink } from '../../../server/processes/parent-link.ts';
import { GatheredMetrics, valuesOf } from '../../../server/processes/process-metrics.ts';
import { readSettings } from '../../../server/settings/settings.ts';
import { readMetrics } from '../../support/http/metrics-text.ts';

const sharesOf = (processes: number, env: Record<string, string> = {}) => {
  const settings = readSettings({ ...env, COUNTERGRAPH_PROCESSES: String(processes) });
  return Array.from({ length: processes }, (_, i) => shareOf(i + 1, settings));
};

const DIVIDED = [
  'workers',
  'workerQueue',
  'blockCacheBytes',
  'answerCacheBytes',
  'responseCacheBytes',
  'maxConcurrent',
  'maxConnections',
  'maxConnectionsPerAddress',
  'maxStreams',
  'maxStreamsPerUser',
] as const;

/** Settings that each process gets unchanged: times, and limits per request or over all. */
const NOT_DIVIDED = [
  'port',
  'processes',
  'queryTimeoutSeconds',
  'maxTopperItems',
  'maxPercentileRanks',
  'compileAfter',
  'maxWaitMs',
  'loginFailures',
  'loginFailuresPerAddress',
  'loginFailureSeconds',
  'headersSeconds',
  'slowCallerSeconds',
  'keepAliveSeconds',
  'shutdownSeconds',
  'restBodyBytes',
  'graphqlBodyBytes',
  'answerValues',
  'answerValuesSignedOut',
  'unreadBytes',
  'unreadBytesPerAddress',
  'stuckReaderMs',
  'slowMs',
  'auditDays',
  'sessionHours',
  'uploadBytes',
];

describe('the division of settings among processes', () => {
  it('is decided for each numeric setting', () => {
    const numbers = Object.entries(readSettings({})).filter(([, it]) => typeof it === 'number');
    const names = numbers.map(([name]) => name);
    expect(names.toSorted()).toEqual([...DIVIDED, ...NOT_DIVIDED].toSorted());
  });

  it.each(NOT_DIVIDED)('does not affect %s', (name) => {
    const settings = { ...readSettings({}), processes: 2 };
    expect(shareOf(1, settings).settings).toMatchObject({ [name]: Reflect.get(settings, name) });
  });

  it.each([2, 3, 7])('adds up to the settings of one process, for %i', (processes) => {
    const env = { COUNTERGRAPH_WORKERS: '8', COUNTERGRAPH_MAX_CONCURRENT: '1000' };
    const all = readSettings(env);
    const shares = sharesOf(processes, env);
    for (const name of DIVIDED) {
      const sum = shares.reduce((total, { settings }) => total + settings[name], 0);
      expect([name, sum]).toEqual([name, all[name]]);
    }
  });

  it('leaves each process what it needs', () => {
    const env = { COUNTERGRAPH_WORKERS: '1', COUNTERGRAPH_MAX_CONCURRENT: '2' };
    const shares = sharesOf(64, { ...env, COUNTERGRAPH_BLOCK_CACHE_MB: '0' });
    for (const { settings, poolConnections } of shares) {
      expect(settings).toMatchObject({ workers: 1, maxConcurrent: 1, blockCacheBytes: 0 });
      expect(poolConnections).toBe(LIMITS.poolConnectionsLeast);
    }
  });

  it('leaves a queue of length 0 as it is', () => {
    const { settings } = shareOf(1, { ...readSettings({}), processes: 2, workerQueue: 0 });
    expect(settings.workerQueue).toBe(0);
  });
});

/** A process as the parent sees it; one that hangs never answers. */
function memberOf(gathered: () => GatheredMetrics, { hangs = false } = {}) {
  const registry = new Registry();
  const requests = new Counter({ name: 'requests_total', help: 'r', registers: [registry] });
  const open = new Gauge({ name: 'open', help: 'o', registers: [registry] });
  const lag = new Gauge({ name: 'lag', help: 'l', aggregator: 'max', registers: [registry] });
  const member = {
    hangs,
    registry,
    async send() {
      // A message carries them as JSON.
      const metrics = JSON.parse(JSON.stringify(await valuesOf(registry)));
      if (!member.hangs) gathered().noteReport(member, metrics);
    },
  };
  return { requests, open, lag, member };
}

const NEVER_LOST = (error: unknown) => expect.fail(String(error));

describe('the metrics of several processes', () => {
  it('are sums, or what a metric defines', async () => {
    const gathered = new GatheredMetrics(new Registry(), NEVER_LOST);
    const one = memberOf(() => gathered);
    const two = memberOf(() => gathered);
    one.requests.inc(3);
    two.requests.inc(4);
    one.open.set(1);
    two.open.set(2);
    one.lag.set(5);
    two.lag.set(6);
    const { value } = readMetrics(await gathered.text([one.member, two.member]));
    expect([value('requests_total'), value('open'), value('lag')]).toEqual([7, 3, 6]);
  });

  it('keep the counters of a process that is gone, and nothing else of it', async () => {
    const gathered = new GatheredMetrics(new Registry(), NEVER_LOST);
    const one = memberOf(() => gathered);
    const two = memberOf(() => gathered);
    one.requests.inc(3);
    one.open.set(1);
    two.requests.inc(4);
    two.open.set(2);
    await gathered.text([one.member, two.member]);
    gathered.forget(one.member);
    two.requests.inc();
    const { value } = readMetrics(await gathered.text([two.member]));
    expect([value('requests_total'), value('open')]).toEqual([8, 2]);
  });

  it('keep the counters of others if those of a process that is gone cannot be added', async () => {
    const failures: unknown[] = [];
    const gathered = new GatheredMetrics(new Registry(), (error) => failures.push(error));
    const one = memberOf(() => gathered);
    one.requests.inc(3);
    await gathered.text([one.member]);
    gathered.forget(one.member);
    const [counter] = await valuesOf(one.member.registry);
    gathered.noteReport(one.member, [{ ...counter, name: 'odd', aggregator: 'unknown' } as never]);
    gathered.forget(one.member);
    const { value } = readMetrics(await gathered.text([]));
    expect(value('requests_total')).toBe(3);
    expect(failures).toHaveLength(1);
  });

  it('use the last values of a process that hangs', async () => {
    const gathered = new GatheredMetrics(new Registry(), NEVER_LOST);
    const one = memberOf(() => gathered);
    one.requests.inc(3);
    await gathered.text([one.member]);
    one.member.hangs = true;
    one.requests.inc();
    const { value } = readMetrics(await gathered.text([one.member]));
    expect(value('requests_total')).toBe(3);
  });
});

describe('the nodes that a process knows', () => {
  it('are reported only when they change', () => {
    const told: string[] = [];
    const directory = new NodeDirectory((context) => told.push(context));
    const node = { name: 'dr0', role: 'dr', url: null, urlEnv: 'DR' } as never;
    directory.remember('lab', []);
    directory.remember('lab', [node]);
    directory.remember('lab', [{ ...(node as object) } as never]);
    directory.remember('lab', []);
    directory.applyRemote('office', [node]);
    expect(told).toEqual(['lab', 'lab']);
    expect(directory.entries()).toEqual([
      ['lab', []],
      ['office', [node]],
    ]);
  });
});

describe('news from other processes', () => {
  it('is heard even if it arrives while a process starts', async () => {
    const channel = new EventEmitter();
    const link = new ParentLink(channel as never);
    const newsOf = (username: string): News => ({
      of: 'logIn',
      change: { outcome: 'failed', caller: '192.0.2.1', username },
    });
    const send = (message: ToChild) => channel.emit('message', message);
    send({ kind: 'start', assignment: { number: 1 } as never });
    send({ kind: 'news', news: newsOf('ada') });
    await link.assignment;
    const heard: News[] = [];
    link.hearNews((news) => heard.push(news));
    send({ kind: 'news', news: newsOf('eve') });
    expect(heard).toEqual([newsOf('ada'), newsOf('eve')]);
  });
});
