import { setImmediate as iteration } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FieldProgress, OperationProgress } from '../../../resolvers/operation-progress.ts';

const allowance = (values: number) => {
  const noted: unknown[] = [];
  return {
    noted,
    values,
    exceeded: () => new Error('too many'),
    onWritten: (characters: number) => {
      noted.push(characters);
    },
    onWaiting: (isWaiting: boolean) => {
      noted.push(isWaiting);
    },
  };
};

const takeMany = (progress: { take(values: number): void }, values: number) => {
  for (let i = 0; i < values; i += 1) progress.take(1);
};

describe('the progress of an operation', () => {
  it('ends it at the first value beyond the limit, for everybody who asks later', async () => {
    const progress = new OperationProgress(allowance(3));
    takeMany(progress, 3);
    expect(progress.ended).toBeNull();
    expect(() => progress.take(1)).toThrow('too many');
    expect(() => progress.requireGoing()).toThrow('too many');
    await expect(progress.whenEnded).rejects.toThrow('too many');
  });

  it('ends it as soon as more values are announced than it may have', () => {
    const progress = new OperationProgress(allowance(100));
    progress.expect(60);
    takeMany(progress, 60);
    expect(() => progress.expect(41)).toThrow('too many');
  });

  it('gives way after some thousand values, and goes on with the latest first', async () => {
    const given = allowance(Number.POSITIVE_INFINITY);
    const progress = new OperationProgress(given);
    let taken = 0;
    while (!progress.isDue) {
      progress.take(1);
      taken += 1;
    }
    const order: string[] = [];
    const work = ['a', 'b', 'c'].map((name) =>
      progress.later(() => {
        order.push(name);
        takeMany(progress, taken);
        return name;
      }),
    );
    expect(order).toEqual([]);
    expect(await Promise.all(work)).toEqual(['a', 'b', 'c']);
    expect(order).toEqual(['c', 'b', 'a']);
    // Each took the values of a whole turn.
    expect(given.noted).toEqual([true, 0, 0, 0, false]);
  });

  it('gives way after many characters, which it notes then', async () => {
    const given = allowance(10);
    const progress = new OperationProgress(given);
    expect(progress.isDue).toBe(false);
    progress.write(5_000_000);
    expect(progress.isDue).toBe(true);
    await progress.later(() => undefined);
    expect(given.noted).toEqual([true, 5_000_000, false]);
    expect(progress.isDue).toBe(false);
  });

  it('ends it if what was written is too much', async () => {
    const progress = new OperationProgress({
      ...allowance(10),
      onWritten: () => {
        throw new Error('too long');
      },
    });
    void progress.later(() => {
      throw new Error('this must not run');
    });
    await expect(progress.whenEnded).rejects.toThrow('too long');
  });

  it('drops what waits when it has ended', async () => {
    const progress = new OperationProgress(allowance(10));
    let runs = 0;
    void progress.later(() => {
      runs += 1;
    });
    progress.end(new Error('gone'));
    await iteration();
    await iteration();
    expect(runs).toBe(0);
  });

  it('rejects with the error of work that fails', async () => {
    const progress = new OperationProgress(allowance(10));
    const failing = progress.later(() => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(progress.ended).toBeNull();
  });
});

describe('the progress of a field with a limit of its own', () => {
  it('counts for the operation, and ends alone', async () => {
    const operation = new OperationProgress(allowance(3));
    const field = new FieldProgress(operation);
    field.take(1);
    field.end(new Error('late'));
    expect(() => field.take(1)).toThrow('late');
    expect(() => field.requireGoing()).toThrow('late');
    await expect(field.later(() => 1)).rejects.toThrow('late');
    operation.take(1);
    expect(() => operation.take(1)).toThrow('too many');
  });
});
