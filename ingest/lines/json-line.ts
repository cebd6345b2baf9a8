import { isLosslessNumber, parse } from 'lossless-json';
import { isObject } from '../../domain/is-object.ts';
import { clipNested } from '../../domain/text/clip-nested.ts';
import { BadLine } from './bad-line.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Matches numbers that `JSON.parse` might round to another integer: those of 16 digits, which a
 * point may split. With a point, 16 digits are too few unless an exponent follows, so Zeek's times
 * (1700000000.123456) do not match. The exact parser is an order of magnitude slower, so it reads
 * only lines that match. Digits right after a quote are not a number.
 */
const LONG_NUMBER = /(?<!["\d.])(?:\d{16}|[\d.]{17}[\d.eE])/;

/** Parses a line as an object, and keeps each long number as its text. */
export const jsonObject = (line: string): JsonObject => parseObject(line, LONG_NUMBER);

/** Like `jsonObject`, but also keeps a number with a fraction or an exponent as it is written. */
export const exactJsonObject = (line: string): JsonObject =>
  parseObject(line, /\d{16}|:\s*-?\d+[.eE]/);

function parseObject(line: string, needsExactParser: RegExp): JsonObject {
  let value: unknown;
  try {
    value = needsExactParser.test(line) ? parse(line) : JSON.parse(line);
  } catch (error) {
    // The exact parser is recursive. A value nested too deeply for it is not a record either.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw notAnObject(line);
  }
  if (!isJsonObject(value)) throw notAnObject(line);
  return value;
}

const notAnObject = (line: string): BadLine =>
  new BadLine(`it must be a JSON object, got ${shownJsonValue(line)}`);

export const isJsonObject = (value: unknown): value is JsonObject =>
  isObject(value) && !isLosslessNumber(value);

/**
 * Returns a string, number or boolean as text, a number as it was written; null for anything else.
 */
export function jsonScalar(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return isLosslessNumber(value) ? value.value : null;
}

/** Returns the text of a JSON number; null for anything else. */
export const jsonNumber = (value: unknown): string | null =>
  typeof value === 'number' || isLosslessNumber(value) ? jsonScalar(value) : null;

const SHOWN_LENGTH = 100;

/** Formats a given value for messages: as JSON, truncated if it is long. */
export function shownJsonValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = isLosslessNumber(value)
    ? value.value
    : JSON.stringify(clipNested(value, isLosslessNumber));
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

/** A kind of JSON line: what messages call it, and how one is recognized by its fields. */
export type JsonLineKind = {
  readonly name: string;
  readonly isOf: (record: object) => boolean;
};

export const hasSome = (record: object, fields: readonly string[]): boolean =>
  fields.some((field) => field in record);
