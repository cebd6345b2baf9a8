#!/usr/bin/env node
import { Interrupted } from './listen-for-signals.ts';
import { loadEnvFile } from './load-env-file.ts';
import { createProgram } from './program.ts';
import { reportFailure } from './report-failure.ts';

// `countergraph … | head` closes our output: that is no failure, and must not end us before the
// embedded server is stopped.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') {
    throw error;
  }
});

// Nobody reads our log any longer: there is nowhere to say so, and a service goes on answering.
process.stderr.on('error', () => undefined);

try {
  // Before the command line is read: what its times mean depends on the time zone that is set.
  loadEnvFile('.env', process.env);
  const parameters = process.argv.slice(2);
  const program = await createProgram(parameters);
  await program.parseAsync(parameters, { from: 'user' });
} catch (error) {
  process.exitCode = reportFailure(error);
  if (error instanceof Interrupted) {
    // What was left behind may still be waiting for something.
    process.exit();
  }
}
