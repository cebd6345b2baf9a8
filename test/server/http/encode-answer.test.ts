import { describe, expect, it } from 'vitest';
import { chunksOf } from '../../../domain/text/long-text.ts';
import { encoded } from '../../../server/http/encode-answer.ts';

const answerOf = (body: string | Buffer) => ({ status: 200, headers: {}, body });

describe('a compressed copy, which is remembered', () => {
  it.each(['br', 'gzip'] as const)('by %s takes no more memory than its bytes', async (by) => {
    for (const size of [2_000, 200_000]) {
      const text = Array.from({ length: size / 10 }, (_, i) => String(i * 7_919)).join();
      const { body } = await encoded(answerOf(Buffer.from(text)), by);
      if (typeof body === 'string') throw new Error('a compressed body is bytes');
      for (const chunk of chunksOf(body)) expect(chunk.buffer.byteLength).toBe(chunk.length);
    }
  });

  it('is made once, of the same text too', async () => {
    const text = 'an answer '.repeat(200);
    const first = await encoded(answerOf(text), 'br');
    const second = await encoded(answerOf(text), 'br');
    expect(second.body).toBe(first.body);
  });
});
