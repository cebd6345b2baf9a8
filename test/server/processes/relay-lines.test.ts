import { PassThrough, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { relayLines } from '../../../server/processes/member.ts';

const NEVER = new Promise<void>(() => undefined);

/** An output whose reader reads when told to. */
function slowOutput() {
  const written: string[] = [];
  const waiting: ((error?: Error) => void)[] = [];
  const output = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString());
      waiting.push(done);
    },
  });
  output.on('error', () => undefined);
  return { output, written, read: (error?: Error) => waiting.shift()?.(error) };
}

describe('the lines of a process', () => {
  it('are written whole, however they arrive', async () => {
    const output = new PassThrough();
    const one = new PassThrough();
    const other = new PassThrough();
    const relayed = [one, other].map((from) => relayLines(from, output, NEVER));
    for (const [from, text] of [
      [one, 'a line of '],
      [other, 'two lines of\nthe other, '],
      [one, 'the one\nand '],
      [other, 'in pieces\n'],
      [one, 'an unfinished one'],
    ] as const) {
      from.write(text);
      await turn();
    }
    one.end();
    other.end();
    await Promise.all(relayed);
    expect(String(output.read()).split('\n')).toEqual([
      'two lines of',
      'a line of the one',
      'the other, in pieces',
      'and an unfinished one',
      '',
    ]);
  });

  it('stay in the process while the reader is behind, and follow at once when it has ended', async () => {
    const { output, written } = slowOutput();
    const from = new PassThrough();
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const relayed = relayLines(from, output, ended);
    for (const line of ['first\n', 'second\n', 'third\n']) {
      from.write(line);
      await turn();
    }
    expect(written).toEqual(['first\n']);
    expect(output.writableLength).toBe('first\n'.length);
    end();
    from.end();
    await relayed;
    expect(output.writableLength).toBe('first\nsecond\nthird\n'.length);
  });

  it('go on when the reader does', async () => {
    const { output, written, read } = slowOutput();
    const from = new PassThrough();
    const relayed = relayLines(from, output, NEVER);
    from.write('first\n');
    await turn();
    from.end('second\n');
    await turn();
    expect(written).toEqual(['first\n']);
    read();
    await turn();
    read();
    await relayed;
    expect(written).toEqual(['first\n', 'second\n']);
  });

  it('leave nothing in memory, however often the reader was behind', async () => {
    const { output, written, read } = slowOutput();
    const from = new PassThrough();
    const ended = new Promise<void>(() => undefined);
    const waitFor = vi.spyOn(ended, 'then');
    const relayed = relayLines(from, output, ended);
    for (const line of ['first\n', 'second\n', 'third\n']) {
      from.write(line);
      await turn();
      expect(written.at(-1)).toBe(line);
      read();
      await turn();
    }
    from.end();
    await relayed;
    expect(waitFor).toHaveBeenCalledTimes(1);
  });

  it('are dropped when nobody reads any longer', async () => {
    const { output, read } = slowOutput();
    const from = new PassThrough();
    const relayed = relayLines(from, output, NEVER);
    from.write('first\n');
    await turn();
    from.end('second\n');
    read(new Error('write EPIPE'));
    await relayed;
    expect(from.readableEnded).toBe(true);
  });
});
