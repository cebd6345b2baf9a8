import { describe, expect, it } from 'vitest';
import { acceptsType, firstEncoding, namesType } from '../../../server/http/negotiate.ts';

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
  it.each([
    ['gzip, deflate, br', 'br'],
    ['*', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('by "accept-encoding: %s" is %s', (accepted, encoding) => {
    expect(firstEncoding(accepted, ['br', 'gzip'])).toBe(encoding);
  });
});
