import { WINDOW_NAMES, type WindowChoice } from '../address/window-choice.ts';
import { longDuration, type Moments } from './moment.ts';

/** Returns a window's name for people. */
export function windowLabel(window: WindowChoice, moments: Moments): string {
  switch (window.kind) {
    case 'named':
      return WINDOW_NAMES[window.name].label;
    case 'recent':
      // People think of the last day in hours, since it seldom begins at midnight.
      return window.seconds === 86_400
        ? 'Last 24 hours'
        : `Last ${longDuration(window.seconds).replace(/^1 /, '')}`;
    case 'interval':
      return moments.range(window.from, window.to);
  }
}
