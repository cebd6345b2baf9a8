import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AlertLab, GRID, reading, startAlertLab } from '../alerts/alert-lab.ts';
import { T0 } from '../support/lab/lab.ts';
import { CONTEXT } from '../support/lab/service.ts';
import { type BuiltProgram, buildProgram, outcomeOf } from '../support/programs/built-program.ts';

const WINDOWS = 100;

/** Each key begins an event in every other window: together more than a pipe can buffer. */
const KEYS = 40;

let lab: AlertLab;
let program: BuiltProgram;

beforeAll(async () => {
  [lab, program] = await Promise.all([startAlertLab(), buildProgram()]);
  const windows = Array.from({ length: WINDOWS }, (_, i) => i + 1);
  await lab.importSamples(
    windows.flatMap((n) =>
      Array.from({ length: KEYS }, (_, i) => reading(`key ${i}`, n * GRID - 60, n % 2 ? 1 : 20)),
    ),
  );
  await lab.declare({ big: { when: { key_above: 10 } } });
}, 120_000);

afterAll(async () => {
  await lab?.close();
  await program?.remove();
});

/** Runs a line in a shell, with $TEST as the command. */
function shell(line: string) {
  const main = join(program.folder, 'dist/bundle/main.js');
  const command = [
    `"${process.execPath}" "${main}" alerts test --json --context ${CONTEXT} --alert big`,
    '--from',
    String(T0),
    '--to',
    String(T0 + WINDOWS * GRID),
  ].join(' ');
  return spawn('bash', ['-o', 'pipefail', '-c', line.replaceAll('$TEST', command)], {
    cwd: program.folder,
    env: { ...process.env, DATABASE_URL: lab.databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Standard error without the line that says which database is used. */
const messages = (stderr: string): string[] =>
  stderr.split('\n').filter((line) => line !== '' && !line.startsWith('database: '));

it('alerts test writes events to standard output, and a summary to standard error', async () => {
  const { status, stdout, stderr } = await outcomeOf(shell('$TEST'));
  expect(status).toBe(0);
  const events = stdout.trimEnd().split('\n');
  expect(events).toHaveLength((KEYS * WINDOWS) / 2);
  expect(JSON.parse(events[0] ?? '')).toMatchObject({ alert: 'big', key: 'key 0', value: 20 });
  expect(messages(stderr)).toEqual([
    expect.stringMatching(/^The alert big \(a key above 10\) has 2,000 events in 100 windows, /),
  ]);
});

it('alerts test ends at once with status 0 when its reader closes the pipe', async () => {
  const { status, stdout, stderr } = await outcomeOf(shell('$TEST | head -n 1'));
  expect([status, messages(stderr)]).toEqual([0, []]);
  expect(JSON.parse(stdout)).toMatchObject({ alert: 'big', key: 'key 0' });
});
