import { shortDuration } from './window-choice.ts';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Parses the length of a step into seconds: `30s`, `15m`, `1h`, `7d`; null for anything else. */
export function parseStep(text: string): number | null {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = Number(count) * SECONDS[(unit ?? 's') as keyof typeof SECONDS];
  return seconds > 0 && seconds < 2 ** 31 ? seconds : null;
}

export const formatStep = (seconds: number): string =>
  seconds % SECONDS.m === 0 ? shortDuration(seconds) : `${seconds}s`;
