import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/** Focuses an element, also one such as a heading, which the keyboard does not reach by itself. */
export function focusOn(element: Element | null | undefined, options: FocusOptions = {}): void {
  if (!(element instanceof HTMLElement)) return;
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus(options);
}

/** Closes what is open on Escape from anywhere, unless something above it handles the key. */
export function useEscape(close: () => void, open: unknown): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) close();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [open]);
}

/** Returns a ref to a button that opens an editor: it is focused again when the editor closes. */
export function useFocusAfter(isEditing: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(isEditing);
  useLayoutEffect(() => {
    const isLost = document.activeElement === document.body;
    if (wasEditing.current && !isEditing && isLost) button.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  return button;
}

/**
 * Returns a function to call when the item at an index is about to be removed from a list. After
 * that `change`, the focus is on the element at the same index, or on the last one.
 */
export function useFocusInPlace(
  change: unknown,
  elements: () => readonly HTMLElement[],
): (index: number) => void {
  const place = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (place.current === null) return;
    const all = elements();
    all[Math.min(place.current, all.length - 1)]?.focus();
    place.current = null;
  }, [change]);
  return (index) => {
    place.current = index;
  };
}
