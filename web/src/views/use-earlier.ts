import { useEffect, useMemo, useState } from 'preact/hooks';
import { Earlier, type EarlierQuery } from '../../generated/operations.ts';
import { ask } from '../api/ask.ts';
import {
  type ComparedChart,
  type EarlierLine,
  earlierGap,
  earlierLine,
  earlierSpan,
  earlierVariables,
} from '../data/earlier.ts';
import { agoOf } from '../data/questions.ts';
import type { ViewProps } from './view-props.ts';

/** The line of the window that a chart is compared with, and what there is to say about it. */
export type ShownEarlier = {
  readonly line: EarlierLine | null;
  /** That window, in words; null: not known yet, or there is no such line. */
  readonly time: string | null;
  /** Why there is no line, or only a part of it. */
  readonly note: string | null;
};

const NOT_SHOWN: ShownEarlier = { line: null, time: null, note: null };

/**
 * Loads the earlier values of a chart, once the chart itself is there: it need not wait for them.
 * `chart` null: the chart has no such line.
 */
export function useEarlier(
  { address, session, moments }: Pick<ViewProps, 'address' | 'session' | 'moments'>,
  chart: ComparedChart | null,
): ShownEarlier {
  const variables = chart && earlierVariables(address, chart);
  const subject = variables && JSON.stringify([variables, session]);
  // A window that moves on keeps its line until the next one is there.
  const about = variables && JSON.stringify([{ ...variables, window: null }, session]);
  const [known, setKnown] = useState<Known | null>(null);
  // After a failure, it asks again with the next answer of the view.
  const retried = known?.about === about && !known?.answer?.context ? chart?.window : null;
  useEffect(() => {
    if (!variables || !chart || about === null) return;
    const stopped = new AbortController();
    const take = (answer: EarlierQuery | null) => {
      if (!stopped.signal.aborted) setKnown({ about, chart, answer });
    };
    ask(Earlier, variables, { session, signal: stopped.signal }).then(
      ({ data }) => take(data),
      () => take(null),
    );
    return () => stopped.abort();
  }, [subject, retried]);
  const { from, to } = chart?.window ?? NEVER;
  return useMemo(() => {
    if (chart === null || known === null || known.about !== about) return NOT_SHOWN;
    const earlier = earlierSpan({ from, to }, agoOf(address));
    const time = moments.range(earlier.from, earlier.to);
    const context = known.answer?.context;
    if (!context) return { line: null, time, note: 'It could not be loaded.' };
    const stored = context.counterGroup?.topper?.availableWindow ?? null;
    const gap = earlierGap({ earlier, stored });
    if (stored === null || gap?.isWhole) return { line: null, time, note: 'Nothing is stored.' };
    const line = earlierLine(known.answer, known.chart, address);
    // More than the window was asked for.
    const has = line?.values.some((value, step) => {
      const at = line.times[step] ?? to;
      return value && at >= from && at < to;
    });
    if (!has) return { line: null, time, note: 'Nothing was counted, or nothing is stored.' };
    return { line, time, note: gap && `Stored from ${moments.full(stored.from)} on.` };
  }, [known, about, from, to, moments]);
}

const NEVER = { from: 0, to: 0 } as const;

type Known = {
  readonly about: string;
  readonly chart: ComparedChart;
  /** null: it failed. */
  readonly answer: EarlierQuery | null;
};
