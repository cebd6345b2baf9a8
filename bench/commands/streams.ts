import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { type OwnPostgres, openOwnPostgres } from '../load/own-postgres.ts';
import { streamsOptions } from '../options/serving-options.ts';
import { describeMachine } from '../reports/machine.ts';
import { showProgress } from '../reports/progress.ts';
import { compareAnswers } from '../streams/compare-answers.ts';
import { forkReaders, forkStreamServer } from '../streams/forked.ts';
import { openMinutes } from '../streams/open-minutes.ts';
import { runCommits } from '../streams/run-commits.ts';
import { QUESTIONS } from '../streams/stream-questions.ts';
import { renderStreams, type StreamsReport } from '../streams/streams-report.ts';
import { CONTEXT, TOKEN, USER } from '../systems/declaration.ts';
import { runCommand } from '../systems/product.ts';

/** Below the limit of 500 open streams per user. */
const STREAMS_PER_USER = 400;

/** Minutes of data that are committed before the first stream is opened. */
const MINUTES_BEFORE = 60;

const { json, ...options } = streamsOptions(process.argv.slice(2));
await withCleanup(measureStreams);

/** Measures many streams of few questions while a feed commits every few seconds. */
async function measureStreams(cleanup: Cleanup): Promise<void> {
  const postgres = await openOwnPostgres(cleanup);
  const users = Math.ceil(options.streams / STREAMS_PER_USER);
  await declare(postgres, users);
  const rounds = Math.ceil((options.minutes * 60) / options.every);
  const commitNext = await openMinutes(postgres.url, { minutes: MINUTES_BEFORE + rounds });
  showProgress(`committing ${MINUTES_BEFORE} minutes`);
  for (let minute = 0; minute < MINUTES_BEFORE; minute += 1) await commitNext();
  const server = await forkStreamServer(postgres.url);
  cleanup.add(() => server.stop());
  const readers = await forkReaders();
  cleanup.add(() => readers.stop());
  const before = await server.held();
  showProgress(`opening ${options.streams} streams`);
  const started = performance.now();
  const { refused } = await readers.open({ url: server.url, streams: options.streams, users });
  const openedMs = performance.now() - started;
  const run = await runCommits({ postgres, server, readers, commitNext, rounds, ...options });
  const differences = await compareAnswers(server.url, await readers.answers());
  const report: StreamsReport = {
    machine: await describeMachine(postgres.url, null),
    options,
    questions: QUESTIONS.length,
    openedMs,
    refused,
    before,
    run,
    differences,
  };
  console.log(renderStreams(report));
  if (json) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
}

async function declare({ url, folder }: OwnPostgres, users: number): Promise<void> {
  const declaration = join(folder, 'declaration.json');
  await writeFile(declaration, JSON.stringify({ context: CONTEXT }));
  await runCommand(url, ['apply', declaration]);
  const names = [USER, ...Array.from({ length: users }, (_, i) => `reader-${i}`)];
  for (const name of names) {
    await runCommand(url, ['user', 'add', name, '--token', TOKEN, '--context', CONTEXT]);
  }
}
