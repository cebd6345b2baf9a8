export type Theme = 'light' | 'dark';

/**
 * Ten colours that stand beside each other in a stack, the largest key's first. Neighbours differ
 * in lightness as well as in hue: who sees colours otherwise than most people tells them apart too.
 */
const SERIES: Readonly<Record<Theme, readonly string[]>> = {
  light: [
    ...['#2f5fc4', '#f0a03a', '#12806f', '#e389b5', '#6a4bb0'],
    ...['#a3bf45', '#a8432f', '#6fc1e8', '#7d6a1c', '#c9a3e0'],
  ],
  dark: [
    ...['#5b8def', '#f2b25c', '#1f9a86', '#f0a5c8', '#8a6bd6'],
    ...['#b7d160', '#c9604a', '#8ed3f3', '#9c8a3c', '#d9bcec'],
  ],
};

/** What is not listed: it recedes. */
const OTHERS: Readonly<Record<Theme, string>> = { light: '#d3d9e0', dark: '#3a444f' };

export const seriesColor = (theme: Theme, index: number): string =>
  SERIES[theme][index] ?? OTHERS[theme];

export const seriesColors = (theme: Theme): readonly string[] => SERIES[theme];

export const othersColor = (theme: Theme): string => OTHERS[theme];
