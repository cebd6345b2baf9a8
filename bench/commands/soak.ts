import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { openLoad, possibleRate } from '../measures/open-load.ts';
import { soakOptions } from '../options/serving-options.ts';
import { showProgress } from '../reports/progress.ts';
import {
  FROM,
  guidOf,
  importMinutes,
  MINUTES,
  openServingDatabase,
  totalOf,
} from '../serving/data.ts';
import { type ForkedServer, forkServer } from '../serving/forked-server.ts';
import { CASES } from '../serving/requests.ts';
import { CONTEXT, TOKEN, USER } from '../systems/declaration.ts';
import { THIS_PRODUCT } from '../systems/product.ts';

/** Resources that the server and the database hold at a moment. */
type Held = {
  readonly megabytes: number;
  /** The part held by caches, which is bounded. */
  readonly remembered: number;
  readonly files: number;
  readonly sessions: number;
};

/** Long enough that the first moment, in which an overload looks like a burst, is 1 % of it. */
const CROWD_SECONDS = 60;

/** Callers that ask again as soon as they are answered, to find the possible rate. */
const CALLERS = 8;

/** Pause between two imports. */
const EVERY_MS = 5000;

/** All requests of `serving` to our own server, sent in turn. */
const REQUESTS = CASES.flatMap(({ ways }) =>
  ways.filter(({ server }) => server === 'ours').map(({ request }) => request),
);

const options = soakOptions(process.argv.slice(2));
await withCleanup(soak);

/** Sends requests at 80 % and then at 300 % of the possible rate while imports go on. */
async function soak(cleanup: Cleanup): Promise<void> {
  const databaseUrl = await openServingDatabase(cleanup);
  const server = await forkServer('ours', databaseUrl, THIS_PRODUCT);
  cleanup.add(() => server.stop());
  showProgress('looking for what is possible');
  const busy = { url: server.url, requests: REQUESTS, callers: CALLERS };
  // Warm up first, so that V8 has compiled the code of these requests.
  await possibleRate({ ...busy, seconds: 20 });
  const importer = openImporter(databaseUrl);
  const possible = await importer.during(possibleRate({ ...busy, seconds: 20 }));
  const load = (perSecond: number, seconds: number) =>
    openLoad({ url: server.url, requests: REQUESTS, perSecond, seconds });
  const watched = async (perSecond: number, seconds: number) => {
    const until = Date.now() + seconds * 1000;
    const watching = watch(server, databaseUrl, { until, importer });
    const figures = await load(perSecond, seconds);
    return { ...figures, ...(await watching) };
  };
  const rate = Math.round(possible * 0.8);
  showProgress(`asking ${rate} times a second for ${options.minutes} minutes`);
  const before = await held(server, databaseUrl);
  const steady = await watched(rate, options.minutes * 60);
  const after = await held(server, databaseUrl);
  const refusedSteady = await refusalsOf(server);
  showProgress('asking for three times as much as is possible');
  const crowd = await watched(possible * 3, CROWD_SECONDS);
  await delay(2000);
  const again = await load(rate, 10);
  const refusals = await refusalsOf(server);
  const figures = {
    possiblePerSecond: possible,
    steady,
    before,
    after,
    refusals: { steady: refusedSteady, inAll: refusals },
    overload: crowd,
    afterwards: again,
  };
  console.log(JSON.stringify(figures, null, 2));
  if (options.json) await writeFile(options.json, JSON.stringify(figures, null, 2));
}

/** Imports take a large part of a small machine, so the possible rate is measured beside them. */
function openImporter(databaseUrl: string) {
  let minute = MINUTES;
  /** Imports one more minute. Returns the number of minutes so far. */
  const next = async (): Promise<number> => {
    minute += 1;
    await importMinutes(databaseUrl, tmpdir(), { from: minute - 1, to: minute });
    return minute;
  };
  /** Imports one minute after another while `work` runs. */
  const during = async <T>(work: Promise<T>): Promise<T> => {
    const over = work.then(() => true);
    do await next();
    while (!(await Promise.race([over, false])));
    return work;
  };
  return { next, during };
}

/** Imports a minute every few seconds, and compares a topper with plain arithmetic after each. */
async function watch(
  server: ForkedServer,
  databaseUrl: string,
  { until, importer }: { until: number; importer: ReturnType<typeof openImporter> },
) {
  const seen: Held[] = [];
  let imports = 0;
  let compared = 0;
  let differences = 0;
  while (Date.now() < until - EVERY_MS) {
    const minutes = await importer.next();
    imports += 1;
    const group = minutes % 20;
    const interval = { from: FROM, to: FROM + minutes * 60 };
    compared += 1;
    const total = totalOf({ from: 0, to: minutes });
    if ((await askTotal(server, group, interval)) !== total) differences += 1;
    seen.push(await held(server, databaseUrl));
    await delay(EVERY_MS);
  }
  return { seen, imports, compared, differences };
}

async function askTotal(
  { url }: Pick<ForkedServer, 'url'>,
  group: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<number> {
  const query = new URLSearchParams({
    username: USER,
    api_token: TOKEN,
    context: CONTEXT,
    counter_group: guidOf(group),
    window_fromts: String(from),
    window_tots: String(to),
    maxitems: '1000',
  });
  const response = await fetch(`${url}/api/topper/topper_request?${query}`);
  if (response.status === 503) {
    await delay(1000);
    return askTotal({ url }, group, { from, to });
  }
  const body = (await response.json()) as { keys: { metric: number }[]; sysgrouptotal: number };
  return body.keys.reduce((sum, { metric }) => sum + metric, body.sysgrouptotal);
}

async function held(server: ForkedServer, databaseUrl: string): Promise<Held> {
  const { pid } = server;
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
  const sessions = await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int from pg_stat_activity where application_name ~ '^countergraph'`,
    );
    return rows[0]?.count ?? 0;
  });
  const files = (await readdir(`/proc/${pid}/fd`)).length;
  const memories = await countsOf(server, 'countergraph_memory_bytes', 'memory');
  const bytes = Object.values(memories).reduce((sum, each) => sum + each, 0);
  const remembered = Math.round(bytes / 1024 ** 2);
  return { megabytes: Math.round(kilobytes / 1024), remembered, files, sessions };
}

/** Returns the number of requests refused so far, by reason. */
function refusalsOf(server: ForkedServer): Promise<Record<string, number>> {
  return countsOf(server, 'countergraph_refused_requests_total', 'why');
}

/** Reads a metric that has a single label, by the label's value. */
async function countsOf(
  { url }: Pick<ForkedServer, 'url'>,
  metric: string,
  label: string,
): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.matchAll(new RegExp(`^${metric}\\{${label}="(\\w+)"\\} (\\d+)$`, 'gm'));
  return Object.fromEntries([...lines].map(([, name, count]) => [name, Number(count)]));
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
