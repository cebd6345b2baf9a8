import type { Urgency } from '../format/severity.ts';

export type Theme = 'light' | 'dark';

/**
 * Ten colours that are adjacent in a stack, the largest key's first. Neighbours differ in lightness
 * as well as in hue, and all of them are distinguishable with red, green or blue blindness too; a
 * test checks this.
 */
const SERIES: Readonly<Record<Theme, readonly string[]>> = {
  light: [
    '#3350c0',
    '#e87d3e',
    '#0c6c70',
    '#e39aa9',
    '#66418f',
    '#a8e06a',
    '#8c3434',
    '#6aaed0',
    '#7c5a1a',
    '#c08ae6',
  ],
  dark: [
    '#5b78f2',
    '#f0a04e',
    '#148d92',
    '#f3b9c0',
    '#8458c0',
    '#c3ee85',
    '#c4502f',
    '#92dff5',
    '#96684a',
    '#c6a8f8',
  ],
};

/** The keys that are not listed: a receding colour. */
const OTHERS: Readonly<Record<Theme, string>> = { light: '#d3d9e0', dark: '#3a444f' };

/** Lines and marks of alert rules, in the styles' colours for faults, warnings and links. */
const RULES: Readonly<Record<Theme, Readonly<Record<Urgency, string>>>> = {
  light: { high: '#b3261e', medium: '#a1410d', low: '#1d4ed8' },
  dark: { high: '#ff9b91', medium: '#f5a46a', low: '#84aaff' },
};

/**
 * Colours of a heat map, the strongest first. They fade into the background, so that lightness
 * alone shows their order.
 */
const HEAT: Readonly<Record<Theme, readonly string[]>> = {
  light: [
    '#12235c',
    '#1b3779',
    '#254c98',
    '#2f62b8',
    '#3778b9',
    '#428eb9',
    '#4fa3b8',
    '#73b6be',
    '#94cac4',
    '#b5ddc9',
  ],
  dark: [
    '#f2f5c0',
    '#cee9bb',
    '#a8ddb6',
    '#7fd0b0',
    '#68bab1',
    '#52a5b1',
    '#3b8fb0',
    '#3778a2',
    '#336194',
    '#2f4a86',
  ],
};

/** Text colours on the cells: from level `from` on, the colours are faint and need another one. */
const HEAT_INKS: Readonly<
  Record<Theme, { readonly strong: string; readonly faint: string; readonly from: number }>
> = {
  light: { strong: '#ffffff', faint: '#10161c', from: 5 },
  dark: { strong: '#10161c', faint: '#ffffff', from: 7 },
};

/** Colour of a cell whose key is not listed. */
const HEAT_EMPTY: Readonly<Record<Theme, string>> = { light: '#eef1f4', dark: '#10161c' };

export const heatEmpty = (theme: Theme): string => HEAT_EMPTY[theme];

export const heatColors = (theme: Theme): readonly string[] => HEAT[theme];

export function heatInk(theme: Theme, level: number): string {
  const { strong, faint, from } = HEAT_INKS[theme];
  return level < from ? strong : faint;
}

export const ruleColor = (theme: Theme, urgency: Urgency): string => RULES[theme][urgency];

export const seriesColor = (theme: Theme, index: number): string =>
  SERIES[theme][index] ?? OTHERS[theme];

export const seriesColors = (theme: Theme): readonly string[] => SERIES[theme];

export const othersColor = (theme: Theme): string => OTHERS[theme];
