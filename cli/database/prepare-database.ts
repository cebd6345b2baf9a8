import { type Migration, migrate } from '../../db/migrate.ts';
import type {
  ConversionProgress,
  ConvertedDatabase,
} from '../../store/convert/convert-database.ts';
import { replaceOldStore } from '../../store/convert/replace-old-store.ts';
import { counted } from '../output/counted.ts';
import { showSteps } from '../output/progress.ts';

export type Preparation = Migration & {
  /** What version 0.7 had stored and is now converted to segments; absent if there was nothing. */
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
    const converted = await replaceOldStore(
      { databaseUrl },
      {
        signal,
        onProgress: bar.update,
        onWaiting: (context) => console.error(`waiting for other work on ${context} to end`),
      },
    );
    return converted && hasSome(converted) ? { ...migration, converted } : migration;
  } finally {
    bar.stop();
  }
}

export const hasSome = ({ slices, texts }: ConvertedDatabase): boolean => slices + texts > 0;

/** Describes the conversion in a sentence. */
export const conversionText = ({ slices, samples, segments }: ConvertedDatabase): string =>
  `What version 0.7 stored was converted: ${counted(samples, 'sample')} in ` +
  `${counted(slices, 'slice')} became ${counted(segments, 'segment')}.`;

/** A progress bar that appears with the first slice. */
function conversionBar() {
  let bar: ReturnType<typeof showSteps> | null = null;
  return {
    update({ bytes }: ConversionProgress) {
      bar ??= showSteps('bytes that version 0.7 stored are converted');
      bar.update(Math.round(bytes.done), Math.max(1, bytes.of));
    },
    stop: () => bar?.stop(),
  };
}
