import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MONTH_RULES, type MonthRule } from '../alerts/month-rules.ts';
import { type EventLine, plainEvents } from '../alerts/plain-events.ts';
import { renderTestedRules, type TestedRule } from '../alerts/tested-rules.ts';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { settings } from '../load/databases.ts';
import { loadService } from '../load/load-service.ts';
import { openOwnPostgres } from '../load/own-postgres.ts';
import { alertsOptions } from '../options/data-options.ts';
import { describeMachine, renderMachine } from '../reports/machine.ts';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT, GROUP } from '../systems/declaration.ts';
import { measureCommand } from '../systems/measured-command.ts';
import { runCommand } from '../systems/product.ts';
import { endOf, START, TOPPER_BUCKET_SECONDS } from '../traffic/traffic.ts';

const { shape, json } = alertsOptions(process.argv.slice(2));
await withCleanup(testAlerts);

/** Runs `alerts test` over all stored data and compares its events with plain arithmetic. */
async function testAlerts(cleanup: Cleanup): Promise<void> {
  showProgress('working out what is expected');
  const expected = plainEvents(shape, MONTH_RULES);
  const { url: databaseUrl, folder } = await openOwnPostgres(cleanup, settings());
  await loadService({ databaseUrl, shape, folder });
  const file = join(folder, 'alerts.json');
  const alerts = MONTH_RULES.map((rule) => ({ ...rule, group: GROUP, enabled: false }));
  await writeFile(file, JSON.stringify({ context: CONTEXT, alerts }));
  await runCommand(databaseUrl, ['apply', file]);
  const tested: TestedRule[] = [];
  for (const rule of MONTH_RULES) {
    showProgress(`testing: ${rule.name}`);
    tested.push(await testRule(databaseUrl, rule, expected.get(rule.name) ?? []));
  }
  const machine = await describeMachine(databaseUrl, null);
  console.log(`${renderMachine(machine)}\n\n${renderTestedRules(tested)}`);
  if (json) await writeFile(json, `${JSON.stringify({ machine, shape, tested }, null, 2)}\n`);
  if (tested.some(({ differences }) => differences > 0)) process.exitCode = 1;
}

async function testRule(
  databaseUrl: string,
  { name }: MonthRule,
  expected: readonly EventLine[],
): Promise<TestedRule> {
  const { seconds, usage, out } = await measureCommand(databaseUrl, [
    'alerts',
    'test',
    '--json',
    '--context',
    CONTEXT,
    '--alert',
    name,
    '--from',
    String(START),
    '--to',
    String(endOf(shape)),
  ]);
  const events = out.split('\n').filter((line) => line !== '');
  const wanted = new Set(expected.map((event) => JSON.stringify(event)));
  const found = events.filter((line) => wanted.has(line)).length;
  return {
    name,
    seconds,
    cpuSeconds: usage?.cpuSeconds ?? null,
    peakBytes: usage?.peakBytes ?? null,
    windows: (endOf(shape) - START) / TOPPER_BUCKET_SECONDS,
    events: events.length,
    differences: wanted.size + events.length - 2 * found,
  };
}
