import { type Command, InvalidArgumentError } from 'commander';
import { LIMITS } from '../../domain/limits.ts';
import {
  type DistributeReport,
  distributePages,
  undistributePages,
} from '../../store/distribute/distribute-pages.ts';
import { withDatabase } from '../database/run-with-database.ts';
import { counted } from '../output/counted.ts';
import { showBytes } from '../output/progress.ts';
import { sizeText } from '../output/slices-table.ts';
import { UsageError } from '../usage-error.ts';

export function registerDistribute(program: Command): void {
  program
    .command('distribute')
    .description('distribute the pages over the workers of Citus, or bring them back')
    .option('--shards <n>', 'shards of each table (default: two for each worker)', parseShards)
    .option('--undo', 'bring the pages back to the coordinator')
    .option('--json', 'print the result as JSON')
    .action(distribute);
}

type DistributeOptions = { shards?: number; undo?: true; json?: true };

function parseShards(text: string): number {
  const shards = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (shards >= 1 && shards <= LIMITS.shards) return shards;
  throw new InvalidArgumentError(`It must be an integer from 1 to ${LIMITS.shards}.`);
}

async function distribute({ shards, undo, json }: DistributeOptions): Promise<void> {
  if (undo && shards !== undefined) {
    throw new UsageError('--shards and --undo exclude each other: --undo leaves no shards');
  }
  const started = performance.now();
  const report = await withDatabase(async ({ url, embedded, signal }) => {
    if (embedded) {
      throw new Error(
        "The embedded PostgreSQL has no Citus: set DATABASE_URL to a coordinator's database",
      );
    }
    const progress = showBytes('moved');
    const target = {
      databaseUrl: url,
      signal,
      onWaiting: (context: string) =>
        console.error(`waiting for an import or other work on ${context} to end`),
      onReaders: () =>
        console.error('waiting for requests and commands that still read the local pages'),
      onProgress: ({ bytes, of }: { bytes: number; of: number }) => progress.update(bytes, of),
    };
    const work = undo ? undistributePages(target) : distributePages({ ...target, shards });
    return work.finally(progress.stop);
  });
  const seconds = (performance.now() - started) / 1000;
  console.log(json ? JSON.stringify({ ...report, seconds }) : sentence(report, seconds));
}

function sentence(
  { changed, tables, shards, workers, bytes }: DistributeReport,
  seconds: number,
): string {
  const over = `over ${counted(workers, 'worker')} in ${counted(shards, 'shard')} each`;
  const names = tables.join(' and ');
  if (!changed) {
    return shards === 0
      ? `Nothing was changed: ${names} are on the coordinator.`
      : `Nothing was changed: ${names} are distributed ${over}.`;
  }
  const moved = `${sizeText(bytes)} moved, ${seconds.toFixed(1)} s`;
  return shards === 0
    ? `${names} were brought back to the coordinator: ${moved}`
    : `${names} were distributed ${over}: ${moved}`;
}
