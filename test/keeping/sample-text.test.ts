import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readKeyText, readSampleText } from '../../db/write/sample-text.ts';
import { group, guidOf, startLab, T0 } from '../support/lab.ts';
import type { TestService } from '../support/service.ts';

let lab: TestService;
let sliceId: number;

/** More than the connection's buffers hold. */
const LINES = Array.from({ length: 20_000 }, (_, i) => ({
  ...{ group: guidOf(1), key: `a key of some length, number ${i}`, ts: T0, values: { 0: i } },
}));

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)], lines: LINES });
  const [slice] = await lab.sql<{ slice_id: number }>('select slice_id from slices');
  sliceId = slice?.slice_id ?? 0;
});

afterAll(() => lab.close());

describe.each([
  ['samples', readSampleText],
  ['keys', readKeyText],
])('the text of %s', (_, read) => {
  it('has a line for each', async () => {
    const lines = await lab.write(async (connection) => {
      let count = 0;
      for await (const part of read(connection, sliceId)) {
        for (const byte of part) if (byte === 10) count += 1;
      }
      return count;
    });
    expect(lines).toBe(LINES.length);
  });

  it.each([
    ['stops', (text: AsyncGenerator<Buffer, void>) => text.return()],
    [
      'fails',
      (text: AsyncGenerator<Buffer, void>) =>
        expect(text.throw(new Error('no room'))).rejects.toThrow('no room'),
    ],
  ])('leaves a connection that can be used to whoever %s in the middle', async (_how, stop) => {
    await lab.write(async (connection) => {
      const text = read(connection, sliceId);
      expect((await text.next()).done).toBe(false);
      await stop(text);
      const { rows } = await connection.query('select 1 as one');
      expect(rows).toEqual([{ one: 1 }]);
    });
  });
});
