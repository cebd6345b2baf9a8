import { describe, expect, it } from 'vitest';
import { reasonOf } from '../../../domain/text/reason-of.ts';

describe('the reason of a failure', () => {
  it('is the message of an error', () => {
    expect(reasonOf(new RangeError('too large'))).toBe('too large');
    expect(reasonOf(new AggregateError([new Error('inner')], 'outer'))).toBe('outer');
  });

  it('is the messages of the errors inside one that has no message', () => {
    const ipv6 = 'connect ECONNREFUSED ::1';
    const ipv4 = 'connect ECONNREFUSED 127.0.0.1';
    const refused = new AggregateError([new Error(ipv6), new Error(ipv4)]);
    expect(reasonOf(refused)).toBe(`${ipv6}, ${ipv4}`);
    expect(reasonOf(new AggregateError([refused]))).toBe(`${ipv6}, ${ipv4}`);
  });

  it('is the name of an error if there is no message at all', () => {
    expect(reasonOf(new TypeError())).toBe('TypeError');
    expect(reasonOf(new AggregateError([]))).toBe('AggregateError');
  });

  it('is the text of anything else that was thrown', () => {
    expect(reasonOf('a text')).toBe('a text');
    expect(reasonOf(null)).toBe('null');
  });
});
