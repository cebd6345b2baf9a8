import { IconButton } from '../../parts/icon.tsx';
import type { ThemeChoice, ThemeState } from '../../parts/theme.ts';

const NEXT: Readonly<Record<ThemeChoice, ThemeChoice>> = {
  system: 'light',
  light: 'dark',
  dark: 'system',
};

const NAMES: Readonly<Record<ThemeChoice, string>> = {
  system: 'Colours: system. Switch to light',
  light: 'Colours: light. Switch to dark',
  dark: 'Colours: dark. Switch to system',
};

export function ThemeButton({ theme }: { readonly theme: ThemeState }) {
  return (
    <IconButton
      icon={theme.choice}
      name={NAMES[theme.choice]}
      onClick={() => theme.choose(NEXT[theme.choice])}
    />
  );
}
