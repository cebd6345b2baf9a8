import { useEffect, useState } from 'preact/hooks';
import type { Theme } from '../chart/palette.ts';

/** `system` follows the viewer's system setting. */
export type ThemeChoice = 'system' | Theme;

const NAME = 'countergraph:theme';

const prefersDark = matchMedia('(prefers-color-scheme: dark)');

function storedChoice(): ThemeChoice {
  try {
    const stored = localStorage.getItem(NAME);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    // Storage is disabled.
    return 'system';
  }
}

export type ThemeState = {
  readonly choice: ThemeChoice;
  readonly theme: Theme;
  readonly choose: (choice: ThemeChoice) => void;
};

/** Applies the stored theme before anything is drawn, so that nothing flashes. */
export function applyStoredTheme(): void {
  apply(storedChoice());
}

export function useTheme(): ThemeState {
  const [choice, setChoice] = useState(storedChoice);
  const [isDark, setDark] = useState(prefersDark.matches);
  useEffect(() => {
    const follow = () => setDark(prefersDark.matches);
    prefersDark.addEventListener('change', follow);
    return () => prefersDark.removeEventListener('change', follow);
  }, []);
  const isPrinting = useLightPrints(choice);
  const choose = (next: ThemeChoice) => {
    apply(next);
    setChoice(next);
    try {
      if (next === 'system') localStorage.removeItem(NAME);
      else localStorage.setItem(NAME, next);
    } catch {
      // Storage is disabled: the choice lasts until the page is reloaded.
    }
  };
  const shown = choice === 'system' ? (isDark ? 'dark' : 'light') : choice;
  return { choice, theme: isPrinting ? 'light' : shown, choose };
}

/** Applies the light theme while the page is printed, so that charts are drawn for white paper. */
function useLightPrints(choice: ThemeChoice): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const begin = () => {
      apply('light');
      setPrinting(true);
    };
    const end = () => {
      apply(choice);
      setPrinting(false);
    };
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, [choice]);
  return isPrinting;
}

function apply(choice: ThemeChoice): void {
  const { dataset } = document.documentElement;
  if (choice === 'system') delete dataset['theme'];
  else dataset['theme'] = choice;
}
