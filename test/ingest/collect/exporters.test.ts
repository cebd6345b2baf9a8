import { describe, expect, it } from 'vitest';
import { Exporters } from '../../../ingest/collect/exporters.ts';
import { createDatagramDecoder } from '../../../ingest/decode-datagram.ts';
import { netflow5Datagram } from '../datagrams/write-netflow-5.ts';

const NOW_S = 1_780_000_000;

type Sent = {
  readonly address?: string;
  readonly port?: number;
  readonly sequence?: number;
  readonly records?: number;
  /** How many bytes are cut off. */
  readonly cut?: number;
};

/** Returns the exporters that have sent datagrams of NetFlow 5, one after the other. */
function exportersOf(datagrams: readonly Sent[]): Exporters {
  const decoder = createDatagramDecoder();
  const exporters = new Exporters(decoder.waitingOf);
  for (const [i, each] of datagrams.entries()) {
    const { address = '192.0.2.1', port = 2055, sequence = 0, records = 10, cut = 0 } = each;
    const header = { seconds: NOW_S, uptimeMs: 60_000, sequence };
    const record = { firstMs: 50_000, lastMs: 60_000, bytes: 100, packets: 1 };
    const whole = netflow5Datagram(header, Array(records).fill(record));
    const bytes = whole.subarray(0, whole.length - cut);
    const datagram = { bytes, address, port, receivedMs: NOW_S * 1000 + i };
    exporters.note(datagram, decoder.decode(datagram), i);
  }
  exporters.end();
  return exporters;
}

describe('what is lost of an exporter', () => {
  it.each<readonly [string, readonly (readonly [port: number, sequence: number])[], number]>([
    [
      'is followed when it sends from other ports',
      [
        [1, 0],
        [2, 10],
        [3, 50],
      ],
      30,
    ],
    [
      'takes late datagrams from other ports as arrived',
      [
        [1, 0],
        [2, 20],
        [3, 10],
        [4, 30],
      ],
      0,
    ],
    [
      'is nothing for two behind one address whose numbers are far apart',
      [
        [1, 0],
        [2, 500_000],
        [1, 10],
        [2, 500_010],
      ],
      0,
    ],
    [
      'is nothing for two behind one address that both begin at 0',
      [
        [1, 0],
        [2, 0],
        [1, 10],
        [2, 10],
        [1, 20],
      ],
      0,
    ],
    [
      'is nothing for one that starts over from another port',
      [
        [1, 700],
        [1, 710],
        [2, 0],
        [2, 10],
      ],
      0,
    ],
    [
      'is up to 10,000 at a change of the port',
      [
        [1, 0],
        [2, 10_010],
      ],
      10_000,
    ],
    [
      'is unknown beyond that: it is another exporter',
      [
        [1, 0],
        [2, 10_011],
      ],
      0,
    ],
  ])('%s', (_, sent, lost) => {
    const exporters = exportersOf(sent.map(([port, sequence]) => ({ port, sequence })));
    expect(exporters.total().flows).toBe(lost);
  });
});

describe('a refused datagram', () => {
  it.each<readonly [string, number, number]>([
    ['is not lost', 10, 0],
    ['is nothing to the sequence if its number is far ahead', 5_000, 10],
    ['is nothing to the sequence if its number is behind', 0, 10],
  ])('%s', (_, sequence, lost) => {
    const exporters = exportersOf([{}, { sequence, cut: 1 }, { sequence: 20 }]);
    expect(exporters.total().flows).toBe(lost);
    expect(exporters.rows()).toMatchObject([{ refused: { truncated: 1 }, flows: 20 }]);
  });
});

describe('the exporters that are named', () => {
  const forged = (count: number, sequence = 0): Sent[] =>
    Array.from({ length: count }, (_, i) => ({ address: `10.0.${i >> 8}.${i & 255}`, sequence }));
  const addressesOf = (datagrams: readonly Sent[]): string[] =>
    exportersOf(datagrams)
      .rows()
      .map(({ address }) => address);

  it('are at most 1,000', () => {
    expect(addressesOf(forged(1_000))).toHaveLength(1_000);
    expect(addressesOf(forged(1_001))).toHaveLength(1_000);
  });

  it('keep one that goes on sending, while addresses are forged before and after it', () => {
    const router = [{ sequence: 0 }, { sequence: 10 }];
    const addresses = addressesOf([...forged(2_000), ...router, ...forged(20_000)]);
    expect(addresses).toContain('192.0.2.1');
    expect(addresses).toHaveLength(1_000);
  });

  it('leave the losses of those that are no longer named in the total', () => {
    const exporters = exportersOf([...forged(1, 0), ...forged(1, 15), ...forged(1_100)]);
    expect(exporters.total().flows).toBe(5);
  });
});
