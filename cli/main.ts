#!/usr/bin/env node
import { Interrupted } from './listen-for-signals.ts';
import { loadEnvFile } from './load-env-file.ts';
import { onOutputFailed } from './output/output-failed.ts';
import { createProgram } from './program.ts';
import { reportFailure } from './report-failure.ts';

// The process must not end before the embedded server is stopped, so this is only reported. It also
// interrupts commands that use a database.
let isOutputFailed = false;
onOutputFailed((failed) => {
  if (!isOutputFailed) process.exitCode = reportFailure(failed);
  isOutputFailed = true;
});

// Nobody reads the log any longer. There is nowhere to report that, and a service keeps answering.
process.stderr.on('error', () => undefined);

try {
  // Before the command line is parsed: the meaning of its times depends on the configured time
  // zone.
  loadEnvFile('.env', process.env);
  const parameters = process.argv.slice(2);
  const program = await createProgram(parameters);
  await program.parseAsync(parameters, { from: 'user' });
} catch (error) {
  // Whatever else fails then has been caused by it.
  if (!isOutputFailed) process.exitCode = reportFailure(error);
  if (error instanceof Interrupted) {
    // Abandoned work may still be waiting for something.
    process.exit();
  }
}
