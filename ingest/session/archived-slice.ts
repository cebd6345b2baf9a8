import { sliceName } from '../../domain/slices/slice-name.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';

/** A slice that nothing can be written into until it is back. */
export type ArchivedSlice = {
  readonly context: string;
  readonly engine: number;
  readonly startsAt: EpochSeconds;
};

/** What is to be done about it, after `restore it before …, with`. */
export function restoreCommand({ context, engine, startsAt }: ArchivedSlice): string {
  const slice = sliceName(startsAt, engine);
  return `\`countergraph slices restore --context ${shellWord(context)} --slice ${slice}\``;
}
