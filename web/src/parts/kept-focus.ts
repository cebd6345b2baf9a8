import { useEffect } from 'preact/hooks';
import { focusOn } from './focus.ts';

/**
 * Moves the focus to a heading when the focused element disappears: that of the key's panel if it
 * was there, otherwise that of the view. Without this, the keyboard starts again at the page's top.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let focused: Focused | null = null;
    /** The main element, focused for want of a heading until there is one. */
    let waiting: Element | null = null;
    const remember = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return;
      focused = { element: target, panel: target.closest('.panel') };
      if (target !== waiting) waiting = null;
    };
    /** A viewer who clicks outside all controls has left them; a removed element was not left. */
    const forget = () =>
      queueMicrotask(() => {
        if (focused?.element.isConnected && isNothingFocused()) focused = null;
      });
    const keep = () => {
      const isLost = focused !== null && !focused.element.isConnected && isNothingFocused();
      const isWaiting = waiting !== null && document.activeElement === waiting;
      if (!isLost && !isWaiting) return;
      const heading = headingFor(focused?.panel ?? null);
      if (!heading && !isLost) return;
      waiting = heading ? null : document.querySelector('main');
      focusOn(heading ?? waiting, { preventScroll: true });
    };
    const watch = new MutationObserver(keep);
    watch.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', remember);
    document.addEventListener('focusout', forget);
    return () => {
      watch.disconnect();
      document.removeEventListener('focusin', remember);
      document.removeEventListener('focusout', forget);
    };
  }, []);
}

/** An element that has the focus, or had it when it was removed. */
type Focused = { readonly element: Element; readonly panel: Element | null };

const isNothingFocused = (): boolean =>
  document.activeElement === null || document.activeElement === document.body;

const headingFor = (panel: Element | null): Element | null =>
  panel?.isConnected ? panel.querySelector('h2') : document.querySelector('main h1');
