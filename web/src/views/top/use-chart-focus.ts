import { useEffect, useState } from 'preact/hooks';

/** Which layer of the chart stands out, and which one is drawn alone, by their ids. */
export type ChartFocus = {
  readonly hovered: string | null;
  readonly only: string | null;
  hover(layer: string | null): void;
  /** Draws a layer alone, or all again. */
  pick(layer: string): void;
};

/** Keeps what the chart, its legend and the table show together. `subject`: what they are of. */
export function useChartFocus(subject: string): ChartFocus {
  const [hovered, hover] = useState<string | null>(null);
  const [only, setOnly] = useState<string | null>(null);
  useEffect(() => {
    hover(null);
    setOnly(null);
  }, [subject]);
  return {
    hovered,
    only,
    hover,
    pick: (layer) => setOnly((before) => (before === layer ? null : layer)),
  };
}
