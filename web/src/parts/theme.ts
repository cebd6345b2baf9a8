import { useEffect, useState } from 'preact/hooks';
import type { Theme } from '../chart/palette.ts';

/** `system` follows what the viewer's system says. */
export type ThemeChoice = 'system' | Theme;

const NAME = 'countergraph:theme';

const prefersDark = matchMedia('(prefers-color-scheme: dark)');

function storedChoice(): ThemeChoice {
  try {
    const stored = localStorage.getItem(NAME);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    // Storage is switched off.
    return 'system';
  }
}

export type ThemeState = {
  readonly choice: ThemeChoice;
  readonly theme: Theme;
  readonly choose: (choice: ThemeChoice) => void;
};

/** Before anything is drawn, so that nothing flashes. */
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
  const choose = (next: ThemeChoice) => {
    apply(next);
    setChoice(next);
    try {
      if (next === 'system') localStorage.removeItem(NAME);
      else localStorage.setItem(NAME, next);
    } catch {
      // Switched off: chosen until the page is loaded again.
    }
  };
  return { choice, theme: choice === 'system' ? (isDark ? 'dark' : 'light') : choice, choose };
}

function apply(choice: ThemeChoice): void {
  const { dataset } = document.documentElement;
  if (choice === 'system') delete dataset['theme'];
  else dataset['theme'] = choice;
}
