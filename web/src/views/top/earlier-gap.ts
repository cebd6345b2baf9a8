import type { ResultsProps } from './results-props.ts';

/** What is missing of the window that another is compared with. */
export type EarlierGap = { readonly isWhole: boolean; readonly text: string };

/** null: all of the window is stored. */
export function earlierGap({
  earlier,
  stored,
}: Pick<ResultsProps['shown'], 'earlier' | 'stored'>): EarlierGap | null {
  if (stored === null || earlier.to <= stored.from) {
    const text = 'Nothing is stored for that window, so there is nothing to compare with.';
    return { isWhole: true, text };
  }
  if (stored.from <= earlier.from) return null;
  const text = 'That window is only partly stored, so the comparison is incomplete.';
  return { isWhole: false, text };
}
