import { longDuration, type Moments } from '../format/moment.ts';
import { WINDOW_NAMES, type WindowChoice } from './window-choice.ts';

/** A window as people call it. */
export function windowLabel(window: WindowChoice, moments: Moments): string {
  switch (window.kind) {
    case 'named':
      return WINDOW_NAMES[window.name].label;
    case 'recent':
      return `Last ${longDuration(window.seconds).replace(/^1 /, '')}`;
    case 'interval':
      return moments.range(window.from, window.to);
  }
}
