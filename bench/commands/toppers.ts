import { writeFile } from 'node:fs/promises';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { measureIsolation } from '../measures/isolation.ts';
import {
  type CaseResult,
  type CheckedCase,
  checkCase,
  measureCase,
  warmUpCase,
} from '../measures/measure-case.ts';
import { type ToppersOptions, toppersOptions } from '../options/data-options.ts';
import { casesOf, wholeWindow } from '../questions/cases.ts';
import { describeMachine } from '../reports/machine.ts';
import { showProgress } from '../reports/progress.ts';
import { type Report, renderReport, reportJson } from '../reports/report.ts';
import { openSystems } from '../systems/open-systems.ts';

const options = toppersOptions(process.argv.slice(2));
await withCleanup((cleanup) => compareToppers(options, cleanup));

/** Loads the same samples into every system, compares the answers, then measures and reports. */
async function compareToppers(
  { only, quick, json, ...data }: ToppersOptions,
  cleanup: Cleanup,
): Promise<void> {
  const open = await openSystems(data, only, cleanup);
  const { service, databases, duckdb } = open;
  if (service && !service.empty) showProgress('the service has no caches: no cold times');
  const checked: CheckedCase[] = [];
  for (const each of casesOf(data.shape)) {
    showProgress(`comparing the answers: ${each.window}, ${each.variant}`);
    checked.push(await checkCase(open, each));
  }
  for (const each of quick ? [] : checked) {
    showProgress(`warming up: ${each.case.window}, ${each.case.variant}`);
    await warmUpCase(each, open);
  }
  const cases: CaseResult[] = [];
  for (const each of checked) {
    showProgress(`measuring: ${each.case.window}, ${each.case.variant}`);
    cases.push(await measureCase(each, open, quick));
  }
  if (service) showProgress('measuring small requests beside large ones');
  const report: Report = {
    machine: await describeMachine(databases?.serviceUrl ?? null, duckdb?.version ?? null),
    shape: data.shape,
    service: databases?.loaded.service ?? null,
    sql: databases?.loaded.sql ?? null,
    duckdb: duckdb && { loadSeconds: duckdb.loadSeconds, fileBytes: duckdb.fileBytes },
    cases,
    isolation: service && (await measureIsolation(service, wholeWindow(data.shape))),
  };
  console.log(renderReport(report));
  if (json) await writeFile(json, reportJson(report));
}
