import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** Pixels between what opens and the edge of the window. */
const MARGIN = 8;

type Sides = { readonly left: number; readonly right: number };

/**
 * Returns by how many pixels to move something sideways so that a window shows all of it; if the
 * window is too narrow, it shows the left part.
 */
export const shiftWithin = ({ left, right }: Sides, windowWidth: number): number =>
  Math.max(MARGIN - left, Math.min(0, windowWidth - MARGIN - right));

/** Keeps an element within the window while it is shown, whatever the width of either. */
export function useWithinWindow(place: RefObject<HTMLElement | null>, isShown: boolean): void {
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    // Without the gutter of the scroll bar, which the width of the root element includes.
    const { body } = document;
    const move = () => {
      element.style.translate = 'none';
      const shift = shiftWithin(element.getBoundingClientRect(), body.clientWidth);
      element.style.translate = `${shift}px`;
    };
    const watch = new ResizeObserver(move);
    watch.observe(element);
    watch.observe(body);
    move();
    return () => watch.disconnect();
  }, [isShown]);
}
