import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { ALERT_CONDITIONS } from '../../domain/alerts/rule.ts';
import { type NotifierLab, openNotifierLab, until } from '../alerts/notifier-lab.ts';
import { startWebhook } from '../alerts/webhook-stand-in.ts';
import { conn, connLog, importText } from '../ingest/import-support.ts';
import { T0 } from '../support/lab/lab.ts';
import { startTestService, type TestService } from '../support/lab/service.ts';
import { blocksOf } from './pages.ts';

const examples = join(projectRoot(), 'examples', 'alerts');
const page = await readFile(join(projectRoot(), 'docs/how-to/alerts.md'), 'utf8');
const flows = JSON.parse(await readFile(join(examples, 'flows.json'), 'utf8'));
const notify = JSON.parse(await readFile(join(examples, 'notify.json'), 'utf8'));

type Flow = {
  readonly from?: string;
  readonly to?: string;
  readonly port?: number;
  readonly bytes: number;
};

const WINDOW = 300;

/** Lines of a conn.log for flows to outside hosts in the n-th window; all bytes are inbound. */
const flowsIn = (n: number, given: readonly Flow[]): string[] =>
  given.map(({ bytes, ...ends }) => {
    const known = { port: 443, bytes: `0\t${bytes}` };
    return conn(T0 + n * WINDOW + 120, Object.assign(known, ends));
  });

const HOSTS = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];
const USUAL = HOSTS.map((from) => ({ from, bytes: 1_000_000 }));
const MANY = Array.from({ length: 5001 }, (_, i) => i);

/** The flows in the windows after two usual hours, and the rules that then fire. */
const CASES: readonly (readonly [string, readonly (readonly Flow[])[], readonly string[]])[] = [
  ['traffic is as usual', [USUAL, USUAL], []],
  ['a host downloads 11 GB', [[...USUAL, { bytes: 11e9 }]], ['big talker']],
  [
    'a host connects to 5,001 others',
    [[...USUAL, ...MANY.map((i) => ({ to: `198.18.${i >> 8}.${i & 255}`, bytes: 60 }))]],
    ['scan'],
  ],
  [
    'the DNS resolver does so',
    [[...USUAL, ...MANY.map(() => ({ from: '192.168.1.53', bytes: 60 }))]],
    [],
  ],
  [
    'a host has most of the traffic in three windows',
    [0, 1, 2].map(() => [...USUAL, { bytes: 5e6 }]),
    ['one host has most of it'],
  ],
  ['SSH is used', [[...USUAL, { port: 22, bytes: 1000 }]], ['new app among the largest']],
  [
    'three hosts download 7 GB each',
    [HOSTS.map((from) => ({ from, bytes: 7e9 }))],
    ['surge of an app'],
  ],
  [
    'an address appears for the first time',
    [[...USUAL, { to: '203.0.113.9', bytes: 11e8 }]],
    ['new peer'],
  ],
  [
    'four hosts download 8 GB each, in two windows',
    [0, 1].map(() => [...HOSTS, '10.0.0.4'].map((from) => ({ from, bytes: 8e9 }))),
    ['surge of an app', 'uplink nearly full'],
  ],
  [
    'there is almost no traffic in two windows',
    [[{ bytes: 100 }], [{ bytes: 100 }]],
    ['hardly any traffic'],
  ],
];

describe('the rules of examples/alerts', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const importFlows = (context: string, lines: readonly string[]) =>
    importText(connLog(...lines), {
      databaseUrl: service.databaseUrl,
      context,
      now: () => service.clock.seconds,
    });

  /** Makes a new context with two usual hours of flows, and then the rules. */
  async function declareIn(context: string) {
    const lines = Array.from({ length: 24 }, (_, n) => flowsIn(n, USUAL)).flat();
    await importFlows(context, lines);
    return service.apply({ ...flows, context });
  }

  const firedIn = async (context: string) =>
    (
      await service.sql<{ name: string }>(
        `select distinct a.name from alert_events e join alerts a using (alert_id)
           join contexts c on c.context_id = e.context_id
         where c.name = $1 order by a.name`,
        [context],
      )
    ).map(({ name }) => name);

  it('use every condition', () => {
    const used = flows.alerts.flatMap(({ when }: { when: object }) => Object.keys(when));
    expect(new Set(used)).toEqual(new Set(ALERT_CONDITIONS));
  });

  it('can be applied to imported flows, and change nothing the second time', async () => {
    const { length } = flows.alerts;
    expect((await declareIn('twice')).counts).toMatchObject({ created: length, changed: 0 });
    const again = await service.apply({ ...flows, context: 'twice' });
    expect(again.counts).toEqual({ created: 0, changed: 0, unchanged: length + 1 });
    const sinks = await service.apply({ ...notify, context: 'twice' });
    expect(sinks.counts).toMatchObject({ created: 2 });
  });

  it.each(CASES)('fire as described when %s', async (context, windows, fired) => {
    await declareIn(context);
    const lines = [...windows, USUAL, USUAL].map((given, i) => flowsIn(24 + i, given));
    await importFlows(context, lines.flat());
    await service.decideAlertsNow();
    expect(await firedIn(context)).toEqual(fired);
  });

  it('fire when flows stop', async () => {
    await declareIn('stopped');
    const { clock } = service;
    const before = clock.seconds;
    clock.seconds += 600;
    await service.decideAlertsNow();
    expect(await firedIn('stopped')).toEqual([]);
    clock.seconds += 600;
    await service.decideAlertsNow();
    clock.seconds = before;
    expect(await firedIn('stopped')).toEqual(['no flows']);
  });
});

/** Starts the receiver on a free port. `lines` returns what it has printed. */
async function startReceiver(secret: string) {
  const child = spawn(process.execPath, [join(examples, 'receiver.mjs')], {
    env: { NOC_SECRET: secret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await until(() => printed.includes('\n'));
  const [first = ''] = printed.split('\n');
  return {
    url: `http://127.0.0.1:${first.replace(/\D/g, '')}/`,
    lines: () => printed.trim().split('\n').slice(1),
    async stop() {
      child.kill();
      await ended;
    },
  };
}

const typeOfField = ([name, value]: [string, unknown]) => [name, value === null, typeof value];

describe('a receiver of webhooks', () => {
  let lab: NotifierLab;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;

  beforeAll(async () => {
    lab = await openNotifierLab();
    receiver = await startReceiver('a secret');
  });
  afterAll(async () => {
    await receiver?.stop();
    await lab?.close();
  });

  it('takes what the server signs only once, however often it is sent', async () => {
    lab.variables['NOC_WEBHOOK'] = receiver.url;
    lab.variables['NOC_SECRET'] = 'a secret';
    await lab.addSink({ urlEnv: 'NOC_WEBHOOK', secretEnv: 'NOC_SECRET' });
    lab.startNotifier();
    const id = await lab.begin();
    await lab.finish(id);
    await until(() => lab.isAllTold());
    // As if the responses had been lost.
    await lab.sql('update alert_deliveries set delivered_at = null');
    await until(() => lab.isAllTold());
    const about = 'printer, 1234567890 (a key above 1000000000)';
    expect(receiver.lines()).toEqual([
      `lab: big talker began: ${about}`,
      `lab: big talker ended: ${about}`,
    ]);
    await lab.clear();
  });

  it('refuses what is signed with another secret, and takes it with the right one', async () => {
    lab.variables['NOC_SECRET'] = 'another secret';
    await lab.addSink({ url: receiver.url, secretEnv: 'NOC_SECRET' });
    const before = receiver.lines().length;
    lab.startNotifier();
    await lab.begin({ key: null });
    await until(() => lab.logText().includes('it answers with the status 401'));
    expect(receiver.lines()).toHaveLength(before);
    lab.variables['NOC_SECRET'] = 'a secret';
    await until(() => lab.isAllTold());
    expect(receiver.lines().slice(before)).toEqual([
      'lab: big talker began: the whole group, 1234567890 (a key above 1000000000)',
    ]);
  });

  it('receives what the page shows', async () => {
    const stand = await startWebhook();
    try {
      lab.variables['NOC_SECRET'] = 'a secret';
      await lab.addSink({ name: 'stand-in', url: stand.url, secretEnv: 'NOC_SECRET' });
      await lab.begin();
      await until(() => stand.received.length > 0);
    } finally {
      await stand.stop();
    }
    const [request] = stand.received;
    const shown = blocksOf(page).find(({ text }) => text.startsWith('POST '))?.text ?? '';
    const [head = '', body = ''] = shown.split('\n\n');
    expect(Object.entries(JSON.parse(body)).map(typeOfField)).toEqual(
      Object.entries(request?.body ?? {}).map(typeOfField),
    );
    const names = head.matchAll(/^([\w-]+):/gm);
    expect(request?.headers).toMatchObject(
      Object.fromEntries(
        [...names].map(([, name = '']) => [name.toLowerCase(), expect.anything()]),
      ),
    );
    expect(head).toContain(request?.headers['content-type']);
  });

  it('refuses what is not signed at all', async () => {
    const answer = await fetch(receiver.url, { method: 'POST', body: '{}' });
    expect([answer.status, await answer.text()]).toEqual([
      401,
      'the signature must be that of the body\n',
    ]);
  });
});

it('the page quotes the examples word for word', async () => {
  const quoted = blocksOf(page).filter(({ language }) => ['js', 'yaml'].includes(language));
  const receiver = await readFile(join(examples, 'receiver.mjs'), 'utf8');
  const configuration = await readFile(join(examples, 'alertmanager.yml'), 'utf8');
  expect(quoted.map(({ text }) => text)).toEqual([receiver, configuration]);
});
