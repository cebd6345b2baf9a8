import { useEffect } from 'preact/hooks';
import type uPlot from 'uplot';

type Held<T> = { readonly current: T | null };

/** Keeps a chart as wide as the element that it is drawn in. */
export function useFittedWidth(place: Held<HTMLElement>, plot: Held<uPlot>, height: number): void {
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const watch = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width > 0 && plot.current?.width !== width) plot.current?.setSize({ width, height });
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, [height]);
}
