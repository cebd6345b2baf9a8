import { describe, expect, it, vi } from 'vitest';
import { faultOf, NoAnswer, UNREACHABLE } from '../../web/src/api/fault.ts';

describe('why a request failed', () => {
  it('is what the request says, if it says anything', () => {
    expect(faultOf(new NoAnswer(UNREACHABLE))).toBe(UNREACHABLE);
  });

  it('is otherwise a mistake in the page, which does not blame the server', () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const error = new TypeError('key is undefined');
    expect(faultOf(error)).toMatchObject({
      kind: 'page',
      message: 'The page has an error: key is undefined',
    });
    expect(faultOf('text')).toMatchObject({ message: 'The page has an error: text' });
    expect(log).toHaveBeenCalledWith(error);
    log.mockRestore();
  });
});
