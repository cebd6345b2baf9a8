import type { Urgency } from '../data/alerts/severity.ts';

export type Theme = 'light' | 'dark';

/**
 * Ten colours that stand beside each other in a stack, the largest key's first. Neighbours differ
 * in lightness as well as in hue, and all of them also for those who see no red, green or blue: a
 * test holds them to that.
 */
const SERIES: Readonly<Record<Theme, readonly string[]>> = {
  light: [
    ...['#3350c0', '#e87d3e', '#0c6c70', '#e39aa9', '#66418f'],
    ...['#a8e06a', '#8c3434', '#6aaed0', '#7c5a1a', '#c08ae6'],
  ],
  dark: [
    ...['#5b78f2', '#f0a04e', '#148d92', '#f3b9c0', '#8458c0'],
    ...['#c3ee85', '#c4502f', '#92dff5', '#96684a', '#c6a8f8'],
  ],
};

/** What is not listed: it recedes. */
const OTHERS: Readonly<Record<Theme, string>> = { light: '#d3d9e0', dark: '#3a444f' };

/** Lines and marks of alert rules, in the colours of the styles for faults, warnings and links. */
const RULES: Readonly<Record<Theme, Readonly<Record<Urgency, string>>>> = {
  light: { high: '#b3261e', medium: '#a1410d', low: '#1d4ed8' },
  dark: { high: '#ff9b91', medium: '#f5a46a', low: '#84aaff' },
};

export const ruleColor = (theme: Theme, urgency: Urgency): string => RULES[theme][urgency];

export const seriesColor = (theme: Theme, index: number): string =>
  SERIES[theme][index] ?? OTHERS[theme];

export const seriesColors = (theme: Theme): readonly string[] => SERIES[theme];

export const othersColor = (theme: Theme): string => OTHERS[theme];
