#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { Interrupted } from './listen-for-signals.ts';
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

if (existsSync('.env')) {
  // Variables that are set already win over the file's.
  process.loadEnvFile('.env');
}

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error);
  if (error instanceof Interrupted) {
    // What was left behind may still be waiting for something.
    process.exit();
  }
}
