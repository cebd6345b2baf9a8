import { describe, expect, it } from 'vitest';
import { createFlowLines } from '../../../ingest/formats/flow-lines.ts';
import { BadLine } from '../../../ingest/lines/bad-line.ts';

const HEADER =
  'firstSeen,duration,proto,srcAddr,srcPort,dstAddr,dstPort,inPackets,inBytes,outPackets,outBytes,flows';

type Row = {
  readonly at?: string;
  readonly lasts?: string;
  readonly proto?: number;
  readonly from?: string;
  readonly to?: string;
  readonly ports?: readonly [string, string];
  readonly amounts?: string;
};

/** A row as nfdump 1.7.8 prints it: by default of TCP. */
const row = ({
  at = '12:00:00.500',
  lasts = '2.000',
  proto = 6,
  from = '10.2.0.4',
  to = '10.3.0.9',
  ports: [source, destination] = ['40264', '22'],
  amounts = '12,1584,0,0',
}: Row = {}): string =>
  `2023-11-14 ${at},${lasts},${proto},${from},${source},${to},${destination},${amounts},1`;

/** The line of its tunnel. */
const tunnel = (changes: Row = {}): string =>
  row({ proto: 47, from: '192.0.2.1', to: '192.0.2.2', ...changes });

const ZEROS: Row = { from: '0.0.0.0', to: '0.0.0.0', ports: ['0', '0'], amounts: '0,0,0,0' };

/** What is counted of some lines: protocols of flows, in order, and how many lines are skipped. */
function counted(...lines: readonly string[]) {
  const protocols: (number | null)[] = [];
  const { take, end, skipped } = createFlowLines(
    { format: 'nfdump', timeZone: 'UTC', portRule: 'registered' },
    {
      check: ({ originator }) => {
        if (originator.bytes === 13) throw new BadLine('unlucky');
      },
      take({ protocol }) {
        protocols.push(protocol);
        return null;
      },
      noteOther: () => protocols.push(null),
    },
  );
  for (const line of [HEADER, ...lines]) void take(line);
  void end();
  return { protocols: protocols.slice(1), tunnelLines: skipped().tunnelLines };
}

describe('the line of a tunnel', () => {
  it.each<[string, readonly string[]]>([
    ['before its flow', [tunnel(), row()]],
    ['after its flow', [row(), tunnel()]],
    ['of IPIP', [tunnel({ proto: 4 }), row()]],
    ['of IPv6 in IPv4', [tunnel({ proto: 41 }), row()]],
    ['of IPv6', [tunnel({ from: '2001:db8::1', to: '2001:db8::2' }), row()]],
    ['of only zeros', [tunnel(ZEROS), row()]],
    ['of only zeros of IPv6', [tunnel({ ...ZEROS, from: '::', to: '::' }), row()]],
    ['of only zeros, protocol included', [row({ ...ZEROS, proto: 0 }), row()]],
    ['of a flow with two directions', [tunnel(), row({ amounts: '12,1584,9,400' })]],
  ])('is not counted: %s', (_, lines) => {
    expect(counted(...lines)).toEqual({ protocols: [6], tunnelLines: 1 });
  });

  it('of a ping has type and code in its port', () => {
    const ports = ['0', '2048'] as const;
    const ping = row({ proto: 1, ports: ['0', '8.0'] });
    expect(counted(tunnel({ ports }), ping)).toEqual({ protocols: [1], tunnelLines: 1 });
  });

  it('of each of several flows is not counted, even if they are alike', () => {
    const lines = [tunnel(), row(), tunnel(), row(), tunnel({ proto: 4 }), row()];
    expect(counted(...lines)).toEqual({ protocols: [6, 6, 6], tunnelLines: 3 });
  });

  it('is the first of two that may be one, if the second has another protocol', () => {
    const lines = [tunnel({ proto: 4 }), tunnel()];
    expect(counted(...lines)).toEqual({ protocols: [47], tunnelLines: 1 });
  });
});

describe('a flow of a tunnel', () => {
  it.each<[string, readonly string[]]>([
    ['alone', []],
    ['beside a flow of another time', [row({ at: '12:00:00.501' })]],
    ['beside a flow of another duration', [row({ lasts: '2.001' })]],
    ['beside a flow of another source port', [row({ ports: ['40265', '22'] })]],
    ['beside a flow of another port', [row({ ports: ['40264', '23'] })]],
    ['beside a flow of more packets', [row({ amounts: '13,1584,0,0' })]],
    ['beside a flow of more bytes', [row({ amounts: '12,1585,0,0' })]],
    ['beside another that is alike', [tunnel({ from: '192.0.2.3' })]],
  ])('is counted: %s', (_, others) => {
    const expected = 1 + others.length;
    for (const lines of [
      [tunnel(), ...others],
      [...others, tunnel()],
    ]) {
      const { protocols, tunnelLines } = counted(...lines);
      expect([protocols.length, tunnelLines]).toEqual([expected, 0]);
    }
  });

  it('is counted if another line stands between it and a flow that is alike', () => {
    const event = '0000-00-00 00:00:00.000,0.000,6,10.0.0.1,0,10.0.0.2,0,0,0,0,0,1';
    expect(counted(tunnel(), event, row()).protocols).toEqual([47, 6]);
    expect(counted(tunnel(), HEADER, row()).protocols).toEqual([47, null, 6]);
    expect(counted(row(), HEADER, tunnel()).protocols).toEqual([6, null, 47]);
  });

  it('answers for its own line, not for the next', () => {
    expect(() => counted(tunnel({ amounts: '1,13,0,0' }))).toThrow('unlucky');
  });
});
