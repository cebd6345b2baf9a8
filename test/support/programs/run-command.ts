import { vi } from 'vitest';
import { createProgram } from '../../../cli/program.ts';
import { reportFailure } from '../../../cli/report-failure.ts';

export type CommandOutcome = {
  readonly status: number;
  /** The lines of standard output. */
  readonly out: string[];
  /** The lines of standard error. */
  readonly err: string[];
};

/** Runs a command line in this process, as the program does. */
export async function runCommand(parameters: readonly string[]): Promise<CommandOutcome> {
  const out: string[] = [];
  const err: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((text) => out.push(String(text)));
  const error = vi.spyOn(console, 'error').mockImplementation((text) => err.push(String(text)));
  try {
    const program = await createProgram(parameters);
    await program.parseAsync(parameters, { from: 'user' });
    return { status: 0, out, err };
  } catch (failure) {
    return { status: reportFailure(failure), out, err };
  } finally {
    log.mockRestore();
    error.mockRestore();
  }
}

/** The same, without the line of standard error that names the database. */
export async function runOnDatabase(parameters: readonly string[]): Promise<CommandOutcome> {
  const { status, out, err } = await runCommand(parameters);
  return { status, out, err: err.filter((line) => !line.startsWith('database: ')) };
}
