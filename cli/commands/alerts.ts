import type { Command } from 'commander';
import type { Connection } from '../../db/connection/connection.ts';
import { withConnection } from '../../db/connection/with-connection.ts';
import { selectEventsToDecide } from '../../db/sql/alert-decisions.ts';
import { type StoredAlert, selectStoredAlerts } from '../../db/sql/alert-rules.ts';
import { selectStoredSlices } from '../../db/sql/archived-slices.ts';
import { existingContext } from '../../db/sql/contexts.ts';
import { type GroupRow, selectGroups } from '../../db/sql/declaration.ts';
import { groupBy } from '../../domain/group-by.ts';
import { keyKinds } from '../../domain/keys/key-kinds.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import { printable } from '../../domain/text/printable.ts';
import type { Interval } from '../../domain/time/interval.ts';
import { MOMENT_FORM } from '../../domain/time/moment.ts';
import type { AlertTestReport } from '../../server/alerts/window-reader.ts';
import { withDatabase } from '../database/run-with-database.ts';
import { asTyped } from '../invocation.ts';
import { parseName, readMoment } from '../option-values.ts';
import {
  alertJson,
  alertLines,
  eventJson,
  eventLine,
  type ListedAlert,
  testSentence,
} from '../output/alert-lines.ts';
import { showSteps } from '../output/progress.ts';
import { UsageError } from '../usage-error.ts';

type ListOptions = { context: string; json?: true };

type TestOptions = ListOptions & { alert: string; from: string; to: string };

export function registerAlerts(program: Command): void {
  const alerts = program
    .command('alerts')
    .description('list the alert rules of a context, or test one on stored data');
  alerts
    .command('list')
    .description('show the alert rules of a context, and which of their events are firing')
    .requiredOption('--context <name>', 'the context of the alerts', parseName)
    .option('--json', 'print each rule as a line of JSON')
    .action(list);
  alerts
    .command('test')
    .description(
      'test a rule on stored data, even if it is disabled, and change nothing: prints its events ' +
        'in the order of their ends, one per line',
    )
    .requiredOption('--context <name>', 'the context of the alert', parseName)
    .requiredOption('--alert <name>', 'the name of the rule to test', parseName)
    .requiredOption('--from <time>', `only windows that end after this time; ${MOMENT_FORM}`)
    .requiredOption(
      '--to <time>',
      'only windows that end by this time; those before the first or beyond the last data are left out',
    )
    .option('--json', 'print each event as a line of JSON')
    .action(test);
}

async function list({ context, json }: ListOptions): Promise<void> {
  const listed = await withDatabase(({ url, signal }) =>
    withConnection({ databaseUrl: url, signal }, 'alerts', (connection) =>
      listAlerts(connection, context),
    ),
  );
  for (const each of listed) {
    for (const line of json ? [alertJson(each)] : alertLines(each)) console.log(line);
  }
  if (listed.length === 0 && !json) console.log(noneText(context));
}

const noneText = (context: string): string =>
  asTyped(`Context ${context} has no alerts: declare them with \`countergraph apply\``);

async function listAlerts(connection: Connection, context: string): Promise<ListedAlert[]> {
  // Loaded on demand, because loading is slow.
  const { describeEvents } = await import('../../server/alerts/notify/notification.ts');
  const { contextId } = await existingContext(connection, context);
  const alerts = await selectStoredAlerts(connection, contextId);
  const groups = await selectGroups(connection, contextId);
  const firing = await selectEventsToDecide(connection, contextId);
  const firingOf = groupBy(await describeEvents(connection, firing), ({ event }) => event.alert);
  return alerts.map((alert) => {
    const group = groupOf(alert, groups);
    const meter = group?.meters.find(({ id }) => id === alert.rule.meterId);
    return {
      alert,
      groupName: group?.name ?? '',
      meterName: meter?.name ?? '',
      firing: firingOf.get(alert.rule.name) ?? [],
    };
  });
}

const groupOf = ({ rule }: StoredAlert, groups: readonly GroupRow[]): GroupRow | undefined =>
  groups.find(({ groupId }) => groupId === rule.groupId);

async function test(options: TestOptions): Promise<void> {
  const within = windowOf(options);
  const tested = await whileRead((closed) =>
    withDatabase(({ url, signal }) =>
      testOn(url, options, { within, signal: AbortSignal.any([signal, closed]) }),
    ),
  );
  if (tested === null) return;
  const sentence = testSentence(tested.alert, tested.report);
  // With --json, standard output holds only lines of JSON.
  if (options.json) console.error(sentence);
  else console.log(sentence);
}

/**
 * Runs `work`. Aborts it and returns null when the reader of standard output goes away, as with
 * `… | head`.
 */
async function whileRead<T>(work: (closed: AbortSignal) => Promise<T>): Promise<T | null> {
  const closed = new AbortController();
  const onError = () => closed.abort();
  process.stdout.once('error', onError);
  try {
    return await work(closed.signal);
  } catch (error) {
    if (closed.signal.aborted) return null;
    throw error;
  } finally {
    process.stdout.off('error', onError);
  }
}

/** Throws for a malformed time or an empty window. */
function windowOf({ from, to }: TestOptions): Interval {
  const within = { from: readMoment('--from', from), to: readMoment('--to', to) };
  if (within.from < within.to) return within;
  throw new UsageError(`--to must be later than --from; got --from ${from} --to ${to}`);
}

type Tested = { readonly alert: StoredAlert; readonly report: AlertTestReport };

async function testOn(
  url: string,
  { context, alert: name, json }: TestOptions,
  { within, signal }: { readonly within: Interval; readonly signal: AbortSignal },
): Promise<Tested> {
  // Loaded on demand: loading is slow, and other commands should not wait for it.
  const { WindowReader } = await import('../../server/alerts/window-reader.ts');
  const target = { databaseUrl: url, signal };
  const { alert, kinds, archived } = await withConnection(target, 'alerts', (connection) =>
    findAlert(connection, { context, name, within }),
  );
  for (const slice of archived) {
    console.error(`${slice} is archived: the rule is not tested on its readings`);
  }
  const progress = stepsBetweenLines('windows');
  const reader = new WindowReader({ databaseUrl: url, runsInline: true });
  try {
    const report = await reader.test({
      alert,
      within,
      signal,
      onEvent(event) {
        progress.stop();
        console.log(json ? eventJson(name, event) : eventLine(event, kinds));
      },
      onProgress: progress.update,
    });
    return { alert, report };
  } finally {
    progress.stop();
    await reader.close();
  }
}

/** A progress bar that is hidden before a line is printed, and drawn again below it. */
function stepsBetweenLines(what: string): ReturnType<typeof showSteps> {
  let bar: ReturnType<typeof showSteps> | null = null;
  return {
    update(done, of) {
      bar ??= showSteps(what);
      bar.update(done, of);
    },
    stop() {
      bar?.stop();
      bar = null;
    },
  };
}

type Wanted = {
  readonly context: string;
  readonly name: string;
  readonly within: Interval;
};

/** Throws if the context or the alert does not exist, or if the alert is about silence. */
async function findAlert(connection: Connection, { context, name, within }: Wanted) {
  const { contextId } = await existingContext(connection, context);
  const alerts = await selectStoredAlerts(connection, contextId);
  const alert = alerts.find(({ rule }) => rule.name === name);
  if (!alert) {
    const missing = `There is no alert ${name} in context ${context} (${known(alerts)})`;
    throw new Error(printable(missing));
  }
  if (alert.rule.when.condition === 'silent_seconds') {
    throw new Error(
      `The alert ${printable(name)} has no windows to test: silent_seconds compares the clock with the time ` +
        'of the last import. Test an alert with another condition',
    );
  }
  const groups = await selectGroups(connection, contextId);
  const group = groupOf(alert, groups);
  const slices = await selectStoredSlices(connection, contextId);
  return {
    alert,
    kinds: group ? keyKinds(group, groups) : [],
    archived: slices
      .filter(({ archived, startsAt, endsAt }) => {
        return archived && startsAt < within.to && endsAt > within.from;
      })
      .map(({ startsAt, engine }) => sliceName(startsAt, engine)),
  };
}

const known = (alerts: readonly StoredAlert[]): string =>
  alerts.length === 0
    ? 'it has none: declare alerts with `countergraph apply`'
    : `its alerts are ${alerts.map(({ rule }) => rule.name).join(', ')}`;
