import { shortened } from '../../domain/errors.ts';
import { clipNested } from '../../domain/text/clip-nested.ts';

/** Formats a given value for messages: as JSON, truncated if it is long or deep. */
export const shownJson = (value: unknown): string => shortened(JSON.stringify(clipNested(value)));
