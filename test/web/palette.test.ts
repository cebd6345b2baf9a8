import { describe, expect, it } from 'vitest';
import {
  heatColors,
  heatEmpty,
  heatInk,
  othersColor,
  seriesColors,
} from '../../web/src/chart/palette.ts';

type Triple = readonly [number, number, number];

/** How colours are seen (Machado, Oliveira and Fernandes 2009, severity 1), in linear RGB. */
const SIGHTS: Readonly<Record<string, readonly [Triple, Triple, Triple]>> = {
  'normal vision': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** sRGB to XYZ, against its white. */
const TO_XYZ: readonly [Triple, Triple, Triple] = [
  [0.4339, 0.3762, 0.1899],
  [0.2126, 0.7152, 0.0722],
  [0.0177, 0.1095, 0.8728],
];

const through = (matrix: readonly Triple[], [a, b, c]: Triple): Triple => {
  const [x = 0, y = 0, z = 0] = matrix.map((row) => row[0] * a + row[1] * b + row[2] * c);
  return [x, y, z];
};

function linear(hex: string): Triple {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(hex.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return [r, g, b];
}

/** CIE 1976 L*a*b*. */
function lab(color: Triple): Triple {
  const [x = 0, y = 0, z = 0] = through(TO_XYZ, color).map((part) =>
    part > 0.008856 ? Math.cbrt(Math.min(1, part)) : 7.787 * Math.max(0, part) + 16 / 116,
  );
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const distance = (a: Triple, b: Triple): number =>
  Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

describe.each(['light', 'dark'] as const)('the %s palette', (theme) => {
  const colors = seriesColors(theme);

  it('has ten colours', () => {
    expect(new Set(colors).size).toBe(10);
  });

  it.each(Object.entries(SIGHTS))('is distinct to a viewer with %s', (_, sight) => {
    const all = [...colors, othersColor(theme)].map((hex) => lab(through(sight, linear(hex))));
    const distances = all.flatMap((a, i) => all.slice(0, i).map((b) => distance(a, b)));
    // Two is what can just be seen.
    expect(Math.min(...distances)).toBeGreaterThan(10);
  });

  it('has neighbours of different lightness', () => {
    const lightness = colors.map((hex) => through(TO_XYZ, linear(hex))[1] + 0.05);
    const ratios = lightness.slice(1).map((each, i) => each / (lightness[i] ?? 1));
    for (const ratio of ratios) expect(Math.max(ratio, 1 / ratio)).toBeGreaterThan(1.6);
  });
});

describe.each(['light', 'dark'] as const)('the %s colours of a heat map', (theme) => {
  const colors = heatColors(theme);
  const luminance = (hex: string) => through(TO_XYZ, linear(hex))[1];
  const contrast = (a: string, b: string) => {
    const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  };

  it('are ordered by lightness alone, from the strongest to the empty cell', () => {
    const all = [...colors, heatEmpty(theme)].map(luminance);
    const inOrder = all.toSorted((a, b) => (theme === 'light' ? a - b : b - a));
    expect(all).toEqual(inOrder);
  });

  it.each(Object.entries(SIGHTS))(
    'are distinct from their neighbours to a viewer with %s',
    (_, sight) => {
      const seen = [...colors, heatEmpty(theme)].map((hex) => lab(through(sight, linear(hex))));
      const distances = seen.slice(1).map((each, i) => distance(each, seen[i] ?? each));
      // Two is what can just be seen.
      expect(Math.min(...distances)).toBeGreaterThan(4);
    },
  );

  it('contrast with the ranks on them as texts must (WCAG 1.4.3)', () => {
    for (const [level, color] of colors.entries()) {
      expect(contrast(color, heatInk(theme, level)), color).toBeGreaterThan(4.5);
    }
  });
});
