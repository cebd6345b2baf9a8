import { type Migration, migrate } from '../../db/migrate.ts';
import {
  type ConversionProgress,
  type ConvertedDatabase,
  convertDatabase,
} from '../../store/from-1.7/convert-database.ts';
import { counted } from '../output/counted.ts';
import { showSteps } from '../output/progress.ts';

export type Preparation = Migration & {
  /** What was converted of the data of version 1.7; absent if there was nothing. */
  readonly converted?: ConvertedDatabase;
};

/** Migrates the schema and converts what is stored. Every command does this first. */
export async function prepareDatabase(
  databaseUrl: string,
  signal: AbortSignal,
): Promise<Preparation> {
  const migration = await migrate(databaseUrl);
  const bar = conversionBar();
  try {
    const converted = await convertDatabase(
      { databaseUrl },
      {
        signal,
        onProgress: bar.update,
        onWaiting: (context) => console.error(`waiting for other work on ${context} to end`),
      },
    );
    return converted && converted.slices > 0 ? { ...migration, converted } : migration;
  } finally {
    bar.stop();
  }
}

/** Describes the conversion in a sentence. */
export const conversionText = ({ slices, samples, segments }: ConvertedDatabase): string =>
  `What version 1.7 stored was converted: ${counted(samples, 'sample')} in ` +
  `${counted(segments, 'segment')} of ${counted(slices, 'slice')}.`;

/** A progress bar that appears with the first slice. */
function conversionBar() {
  let bar: ReturnType<typeof showSteps> | null = null;
  return {
    update({ bytes }: ConversionProgress) {
      bar ??= showSteps('bytes that version 1.7 stored are converted');
      bar.update(Math.round(bytes.done), Math.max(1, bytes.of));
    },
    stop: () => bar?.stop(),
  };
}
