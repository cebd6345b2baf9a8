import { sliceName } from '../../domain/slices/slice-name.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';

/** A slice into which nothing can be written until it is restored. */
type ArchivedSlice = {
  readonly context: string;
  readonly engine: number;
  readonly startsAt: EpochSeconds;
};

/** Returns the command that restores it, to follow `restore it before …, with`. */
export function restoreCommand({ context, engine, startsAt }: ArchivedSlice): string {
  const slice = sliceName(startsAt, engine);
  return `\`countergraph slices restore --context ${shellWord(context)} --slice ${slice}\``;
}
