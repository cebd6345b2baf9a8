/** Number of colours in a palette. */
const COLORS = 10;

/** Most keys that are remembered; those shown longest ago are forgotten first. */
const REMEMBERED = 2000;

/** Colours by raw key, those shown last at the end. */
export type KeyColors = ReadonlyMap<string, number>;

/**
 * Returns the colours of the shown keys, added to those that are known. A key keeps its colour,
 * also if it was not shown for a while, unless a key that was shown since has it and is shown now.
 *
 * A key without a colour gets one that no shown key has: of those that differ in lightness from
 * both its neighbours, which are in odd and even places of the palette, the one that was not shown
 * for longest. So the keys that are shown first have the palette's own order.
 */
export function assignColors(known: KeyColors, shown: readonly string[]): KeyColors {
  const chosen = new Map<string, number>();
  const taken = new Set<number>();
  const take = (key: string, color: number) => {
    chosen.set(key, color);
    taken.add(color);
  };
  const isShown = new Set(shown);
  const latestFirst = [...known].reverse();
  for (const [key, color] of latestFirst) {
    if (isShown.has(key) && !taken.has(color)) take(key, color);
  }
  const lastUse = new Map([...known.values()].map((color, index) => [color, index]));
  for (const [place, key] of shown.entries()) {
    if (chosen.has(key)) continue;
    const beside = [shown[place - 1], shown[place + 1]].flatMap((each) => {
      const color = each === undefined ? undefined : chosen.get(each);
      return color ?? [];
    });
    const cost = (color: number) =>
      beside.filter((other) => (color - other) % 2 === 0).length * (known.size + 1) +
      (lastUse.get(color) ?? -1);
    const free = Array.from({ length: COLORS }, (_, color) => color).filter(
      (color) => !taken.has(color),
    );
    take(
      key,
      free.reduce((best, each) => (cost(each) < cost(best) ? each : best), free[0] ?? 0),
    );
  }
  const rest = [...known].filter(([key]) => !chosen.has(key));
  const newest = shown.map((key) => [key, chosen.get(key) ?? 0] as const);
  return new Map([...rest, ...newest].slice(-REMEMBERED));
}
