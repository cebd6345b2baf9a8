import { describe, expect, it } from 'vitest';
import {
  acceptsType,
  namesType,
  preferredEncoding,
  refusesPlain,
} from '../../../server/http/negotiate.ts';

const STREAM = 'text/event-stream';

describe('a media type', () => {
  it.each([
    [undefined, true],
    ['*/*', true],
    ['text/*', true],
    ['TEXT/Event-Stream', true],
    ['application/json, text/event-stream;q=0.1', true],
    ['text/event-stream;charset=utf-8', true],
    ['', false],
    ['application/json', false],
    ['text/event-stream;q=0', false],
    ['text/event-stream;q=0, */*', false],
    ['text/event-streams', false],
  ])('by "accept: %s" is accepted: %s', (accept, isAccepted) => {
    expect(acceptsType(accept, STREAM)).toBe(isAccepted);
  });

  it.each([
    [undefined, false],
    ['*/*', false],
    ['text/html;q=0, */*', false],
    ['text/*, TEXT/HTML;q=0.5', true],
  ])('by "accept: %s" is named: %s', (accept, isNamed) => {
    expect(namesType(accept, 'text/html')).toBe(isNamed);
  });
});

describe('an encoding', () => {
  // RFC 9110, 12.5.3.
  it.each([
    ['gzip, deflate, br', 'br', false],
    ['*', 'br', false],
    ['br;q=0, gzip', 'gzip', false],
    ['gzip;q=1, br;q=0.1', 'gzip', false],
    ['gzip;q=0.5, br;q=0.5', 'br', false],
    ['br;q=0, *', 'gzip', false],
    ['GZIP', 'gzip', false],
    ['gzip;q=0.5, identity', undefined, false],
    ['gzip, identity;q=0.5', 'gzip', false],
    ['identity;q=0', undefined, true],
    ['identity;q=0, gzip;q=0.1', 'gzip', true],
    ['*;q=0', undefined, true],
    ['*;q=0, identity', undefined, false],
    ['gzip;q=0, br;q=0', undefined, false],
    ['gzip;q=nothing', undefined, false],
    ['deflate', undefined, false],
    ['identity', undefined, false],
    ['', undefined, false],
    [undefined, undefined, false],
  ])('by "accept-encoding: %s" is %s; an answer without one is refused: %s', (...row) => {
    const [accepted, encoding, isPlainRefused] = row;
    expect(preferredEncoding(accepted, ['br', 'gzip'])).toBe(encoding);
    expect(refusesPlain(accepted)).toBe(isPlainRefused);
  });
});
