import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createDnsNames,
  selectDnsNames,
  upsertDnsNames,
} from '../../../db/sql/looked-up-labels.ts';
import { openTextLab, type TextLab } from './text-lab.ts';

let lab: TextLab;

beforeAll(async () => {
  lab = await openTextLab();
});

afterAll(() => lab.close());

const all = () => selectDnsNames(lab.connection, { after: '', limit: 100 });

describe('names from DNS answers', () => {
  it('are those of the newest answer, in whatever order two of the same time come', async () => {
    await lab.undone(async () => {
      await createDnsNames(lab.connection);
      await upsertDnsNames(lab.connection, [
        { key: 'older', name: 'first', answeredUs: 2_000_000_000_000_000 },
        { key: 'equal', name: 'first', answeredUs: 2_000_000_000_000_000 },
        { key: 'newer', name: 'first', answeredUs: 2_000_000_000_000_000 },
      ]);
      await upsertDnsNames(lab.connection, [
        { key: 'older', name: 'second', answeredUs: 1_999_999_999_999_999 },
        { key: 'equal', name: 'second', answeredUs: 2_000_000_000_000_000 },
        { key: 'newer', name: 'second', answeredUs: 2_000_000_000_000_001 },
      ]);
      // An answer between the first and the newest one changes nothing.
      await upsertDnsNames(lab.connection, [
        { key: 'newer', name: 'third', answeredUs: 2_000_000_000_000_000 },
        { key: 'equal', name: 'b', answeredUs: 2_000_000_000_000_000 },
      ]);
      expect(await all()).toEqual([
        { key: 'equal', name: 'second', answeredUs: 2_000_000_000_000_000 },
        { key: 'newer', name: 'second', answeredUs: 2_000_000_000_000_001 },
        { key: 'older', name: 'first', answeredUs: 2_000_000_000_000_000 },
      ]);
    });
  });

  it('are read page by page, in the order of keys', async () => {
    await lab.undone(async () => {
      await createDnsNames(lab.connection);
      const keys = ['b', 'a', 'Z', 'c'];
      await upsertDnsNames(
        lab.connection,
        keys.map((key) => ({ key, name: `${key}.test`, answeredUs: 1 })),
      );
      expect(await selectDnsNames(lab.connection, { after: '', limit: 2 })).toEqual([
        { key: 'Z', name: 'Z.test', answeredUs: 1 },
        { key: 'a', name: 'a.test', answeredUs: 1 },
      ]);
      expect(await selectDnsNames(lab.connection, { after: 'a', limit: 2 })).toEqual([
        { key: 'b', name: 'b.test', answeredUs: 1 },
        { key: 'c', name: 'c.test', answeredUs: 1 },
      ]);
    });
  });

  it('last until the end of the transaction', async () => {
    await lab.connection.query('begin');
    await createDnsNames(lab.connection);
    await lab.connection.query('commit');
    await expect(all()).rejects.toThrow('relation "dns_names" does not exist');
  });
});
