import { comparesWindows } from '../../address/ranking.ts';
import { earlierGap } from '../../data/earlier.ts';
import { CHANGE_WORDS } from '../../data/ranking-words.ts';
import type { ResultsProps } from './results-props.ts';

/** Says which keys are listed, and since when, if they are not simply the largest. */
export function RankingNote({ shown, moments }: ResultsProps) {
  const { ranking, earlier } = shown;
  if (!comparesWindows(ranking)) return null;
  const gap = earlierGap(shown);
  return (
    <p class="hint summary-note">
      {CHANGE_WORDS[ranking.by].note(moments.range(earlier.from, earlier.to))}
      {gap && ` ${gap.text}`}
    </p>
  );
}
