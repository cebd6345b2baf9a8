import { Readable } from 'node:stream';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Interval } from '../../domain/time/interval.ts';
import { isTimeZone, startOfDay } from '../../domain/time/time-zone.ts';
import { readContent } from '../../ingest/files/read-content.ts';
import type { ReplayTarget } from '../../parity/ask-service.ts';
import { type LoadedRequests, loadRequests } from '../../parity/load-requests.ts';
import type { ReplayedRequest } from '../../parity/read-requests.ts';
import { type ParityReport, runParity } from '../../parity/run-parity.ts';
import { readSettings } from '../../server/settings/settings.ts';
import { listenForSignals } from '../listen-for-signals.ts';
import { openSources } from '../open-sources.ts';
import { parseName } from '../option-values.ts';
import { counted } from '../output/counted.ts';
import {
  differenceJson,
  differenceLine,
  paritySentence,
  parityVerdict,
} from '../output/parity-lines.ts';
import { showSteps } from '../output/progress.ts';
import { UsageError } from '../usage-error.ts';

type ParityCommand = {
  legacy: URL;
  ours?: URL;
  requests: string;
  user?: string;
  legacyToken?: string;
  token?: string;
  ignore: string[];
  strict?: true;
  json?: true;
};

export function registerParity(program: Command): void {
  program
    .command('parity')
    .description(
      'replay legacy requests against the legacy service and this one, and print each difference; ' +
        'status 1 if there is one',
    )
    .requiredOption(
      '--legacy <url>',
      'the base address of the legacy service, without /api/…',
      parseBaseUrl,
    )
    .option(
      '--ours <url>',
      'the base address of this service (default: that of HOST and PORT)',
      parseBaseUrl,
    )
    .option(
      '--requests <file>',
      'requests, one per line: addresses, paths or queries, or an access log in common or combined ' +
        'format; also gzipped, - is standard input',
      '-',
    )
    .option(
      '--user <name>',
      'send requests as this user, instead of the users in the requests',
      parseName,
    )
    .addOption(
      new Option('--legacy-token <token>', 'the token of --user at the legacy service').env(
        'COUNTERGRAPH_PARITY_LEGACY_TOKEN',
      ),
    )
    .addOption(
      new Option('--token <token>', 'the token of --user at this service').env(
        'COUNTERGRAPH_PARITY_TOKEN',
      ),
    )
    .option(
      '--ignore <field>',
      'ignore a field and all fields below it: a dotted path without indexes, such as keys.label; repeatable',
      (field: string, fields: string[]) => [...fields, parseField(field)],
      [],
    )
    .option(
      '--strict',
      'also compare what depends on the host: disk_size, path and id of slices, and sizes of pools',
    )
    .option('--json', 'print each difference, and finally the totals, as a line of JSON')
    .action(parity);
}

function parseField(text: string): string {
  if (/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a dotted path without indexes, such as keys.label.');
}

function parseBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('It must be an address such as https://legacy.example.com.');
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new InvalidArgumentError('It must have no credentials, query or fragment.');
  }
  return url;
}

async function parity(options: ParityCommand): Promise<void> {
  const targets = targetsOf(options);
  const signals = listenForSignals();
  const progress = showSteps('requests');
  try {
    const loaded = await load(options.requests);
    sayLeftOut(loaded);
    const { requests } = loaded;
    let done = 0;
    const report = await runParity({
      ...targets,
      requests,
      windowOf: dayUntil(Math.floor(Date.now() / 1000)),
      strict: options.strict === true,
      ignored: options.ignore,
      signal: signals.signal,
      onCompared(asked, differences) {
        for (const found of differences) {
          console.log(options.json ? differenceJson(asked, found) : differenceLine(asked, found));
        }
        done += 1;
        progress.update(done, requests.length);
      },
    });
    progress.stop();
    conclude(report, options);
  } finally {
    progress.stop();
    signals.close();
  }
}

function conclude(report: ParityReport, { json }: ParityCommand): void {
  const { unauthenticated, ...totals } = report;
  if (json) console.log(JSON.stringify(totals));
  else console.log(paritySentence(report));
  if (report.differences > 0) throw new Error(parityVerdict(report));
  if (unauthenticated === report.requests) {
    throw new Error(
      'no answer was compared: both services refused the credentials of every request: check ' +
        '--user, --legacy-token and --token, or the credentials in the requests',
    );
  }
}

function targetsOf(options: ParityCommand): { legacy: ReplayTarget; ours: ReplayTarget } {
  const { user, legacyToken, token } = options;
  const ours = options.ours ?? ownAddress();
  if (user === undefined) {
    if (options.legacyToken === undefined && options.token === undefined) {
      return { legacy: as(options.legacy, null), ours: as(ours, null) };
    }
    throw new UsageError('--legacy-token and --token must come with --user, which is missing');
  }
  if (legacyToken === undefined || token === undefined) {
    throw new UsageError('--user must come with --legacy-token and --token');
  }
  return {
    legacy: as(options.legacy, { username: user, token: legacyToken }),
    ours: as(ours, { username: user, token }),
  };
}

const as = (baseUrl: URL, credentials: ReplayTarget['credentials']): ReplayTarget => ({
  baseUrl,
  credentials,
});

/** Returns the address at which `serve` listens with the same settings. */
function ownAddress(): URL {
  const { host, port } = readSettings(process.env);
  if (port === 0) throw new UsageError('--ours is needed if PORT is 0');
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return new URL(`http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`);
}

/** Throws if nothing in the file can be replayed. */
async function load(file: string): Promise<LoadedRequests> {
  if (file === '-' && process.stdin.isTTY) {
    throw new UsageError('--requests FILE is needed, or requests on standard input');
  }
  const [source] = await openSources([file]);
  if (!source) throw new Error(`${file} was not opened`);
  const loaded = await loadRequests(Readable.from(readContent(source)));
  if (loaded.requests.length > 0) return loaded;
  sayLeftOut(loaded);
  throw new UsageError(
    `${source.name} has no legacy request: each line must be an address, a path or a query of one ` +
      'of the three endpoints, or a line of an access log',
  );
}

function sayLeftOut({ leftOut, repeated }: LoadedRequests): void {
  for (const [reason, { count, firstLine }] of leftOut) {
    console.error(`${counted(count, 'line')} left out, first line ${firstLine}: ${reason}`);
  }
  if (repeated > 0) {
    console.error(`${counted(repeated, 'request')} left out that repeat earlier lines`);
  }
}

/**
 * Returns the window for requests that name none: from midnight until now. `now` is the same for
 * all requests.
 */
function dayUntil(now: number): (request: ReplayedRequest) => Interval {
  const { timeZone } = readSettings(process.env);
  return ({ query }) => {
    const named = query.get('time_zone') ?? '';
    const from = startOfDay(now, isTimeZone(named) ? named : timeZone);
    // At midnight itself the day is still empty, but a window must not be.
    return { from, to: Math.max(now, from + 1) } as Interval;
  };
}
