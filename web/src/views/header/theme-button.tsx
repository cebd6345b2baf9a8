import { IconButton } from '../../parts/icon.tsx';
import type { ThemeChoice, ThemeState } from '../../parts/theme.ts';

const NEXT: Readonly<Record<ThemeChoice, ThemeChoice>> = {
  system: 'light',
  light: 'dark',
  dark: 'system',
};

const NAMES: Readonly<Record<ThemeChoice, string>> = {
  system: 'Colours as the system has them; change to light',
  light: 'Light colours; change to dark',
  dark: 'Dark colours; change to those of the system',
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
