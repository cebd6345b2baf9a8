#!/usr/bin/env node
import { Interrupted } from './listen-for-signals.ts';
import { loadEnvFile } from './load-env-file.ts';
import { createProgram } from './program.ts';
import { reportFailure } from './report-failure.ts';

// `countergraph … | head` closes our output. That is not a failure, and must not end the process
// before the embedded server is stopped.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') {
    throw error;
  }
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
  process.exitCode = reportFailure(error);
  if (error instanceof Interrupted) {
    // Abandoned work may still be waiting for something.
    process.exit();
  }
}
