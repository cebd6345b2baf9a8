import { InvalidArgumentError } from 'commander';
import { LIMITS } from '../domain/limits.ts';
import { type Guid, parseGuid } from '../domain/text/guid.ts';
import { isName, NAME_FORM } from '../domain/text/storable-text.ts';
import type { EpochSeconds } from '../domain/time/interval.ts';
import { MOMENT_FORM, parseMoment } from '../domain/time/moment.ts';
import { readSettings } from '../server/settings/settings.ts';
import { UsageError } from './usage-error.ts';

/** Parses the name of a context, a probe or a pool. */
export function parseName(text: string): string {
  if (isName(text)) return text;
  throw new InvalidArgumentError(`It must be ${NAME_FORM}.`);
}

/** Parses another name of an option that is repeated. */
export const parseNames = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  parseName(text),
];

/** Returns the texts of an option that is repeated. */
export const anotherText = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  text,
];

const MAX_ENGINE = 32_767;

export function parseEngine(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= MAX_ENGINE) return Number(text);
  throw new InvalidArgumentError(`It must be an integer from 0 to ${MAX_ENGINE}.`);
}

export function parseProcesses(text: string): number {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= LIMITS.processesCeiling) return number;
  throw new InvalidArgumentError(`It must be an integer from 1 to ${LIMITS.processesCeiling}.`);
}

export function parseGroup(text: string): Guid {
  const guid = parseGuid(text);
  if (guid !== null) return guid;
  throw new InvalidArgumentError('It must be a GUID.');
}

/** A year, month or day without hyphens. Nobody means such epoch seconds, which are in 1970. */
const DATE_OF_DIGITS = /^(?:19|20)\d\d(?:\d\d){0,2}$/;

/** Parses the time of an option, in the time zone of the settings if the text names none. */
export function readMoment(option: string, text: string): EpochSeconds {
  if (DATE_OF_DIGITS.test(text)) {
    throw new UsageError(
      `${option} must be ${MOMENT_FORM}; ` +
        `got ${JSON.stringify(text)}, which would be epoch seconds in 1970: write a date with hyphens`,
    );
  }
  const at = parseMoment(text, readSettings(process.env).timeZone);
  if (at !== null) return at;
  throw new UsageError(`${option} must be ${MOMENT_FORM}; got ${JSON.stringify(text)}`);
}
