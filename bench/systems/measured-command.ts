import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessUsage, processUsage } from './process-usage.ts';
import { type CommandOptions, spawnCommand } from './product.ts';

export type CommandFigures = {
  /** From the start to the exit of the process. */
  readonly seconds: number;
  /** Usage of the process. null if the machine does not report it. */
  readonly usage: ProcessUsage | null;
};

export type MeasuredCommand = CommandFigures & {
  /** Its standard output. */
  readonly out: string;
};

/** Usage only rises, so the last value before the exit is nearly that of the whole run. */
const LOOK_EVERY_MS = 20;

/** Runs `countergraph …` on a database. Errors: the command fails. */
export async function measureCommand(
  databaseUrl: string,
  parameters: readonly string[],
  options: CommandOptions = {},
): Promise<MeasuredCommand> {
  const started = performance.now();
  const child = spawnCommand(databaseUrl, parameters, options);
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  let usage: ProcessUsage | null = null;
  const watching = new AbortController();
  const watched = watch();
  const status = await ended.finally(() => watching.abort());
  const seconds = (performance.now() - started) / 1000;
  await watched;
  if (status === 0) return { out: Buffer.concat(output).toString(), seconds, usage };
  throw new Error(`countergraph ${parameters.join(' ')} ended with status ${status}`);

  async function watch(): Promise<void> {
    while (!watching.signal.aborted && child.pid !== undefined) {
      usage = (await processUsage(child.pid)) ?? usage;
      await delay(LOOK_EVERY_MS);
    }
  }
}
