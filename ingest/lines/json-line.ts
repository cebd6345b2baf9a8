import { isLosslessNumber, parse } from 'lossless-json';
import { BadLine } from './bad-line.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Numbers that `JSON.parse` might round, among them any whole number beyond 2^53, have this many
 * digits in a row. The exact parser is an order of magnitude slower, so it reads only such lines.
 * Digits right after a quote are no number.
 */
const LONG_NUMBER = /(?<!["\d])\d{16}/;

/** The object that a line is, every long number of it as its own text. */
export const jsonObject = (line: string): JsonObject => parseObject(line, LONG_NUMBER);

/** As `jsonObject`, but also a number with a fraction or an exponent is kept as it is written. */
export const exactJsonObject = (line: string): JsonObject =>
  parseObject(line, /\d{16}|:\s*-?\d+[.eE]/);

function parseObject(line: string, needsExactParser: RegExp): JsonObject {
  let value: unknown;
  try {
    value = needsExactParser.test(line) ? parse(line) : JSON.parse(line);
  } catch (error) {
    // The exact parser is recursive: what is nested too deep for it is no record either.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw notAnObject(line);
  }
  if (!isJsonObject(value)) throw notAnObject(line);
  return value;
}

const notAnObject = (line: string): BadLine =>
  new BadLine(`it must be a JSON object, got ${shownJson(line)}`);

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

/** A string, number or boolean as text, a number as it was written; null for anything else. */
export function jsonScalar(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return isLosslessNumber(value) ? value.value : null;
}

/** The text of a JSON number; null for anything else. */
export const jsonNumber = (value: unknown): string | null =>
  typeof value === 'number' || isLosslessNumber(value) ? jsonScalar(value) : null;

const SHOWN_LENGTH = 100;

/** A given value as messages show it: as JSON, cut where it is long. */
export function shownJson(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = isLosslessNumber(value) ? value.value : JSON.stringify(value);
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}
