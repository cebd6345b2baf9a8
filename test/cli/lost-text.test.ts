import { describe, expect, it } from 'vitest';
import { losersText, lostText } from '../../cli/output/lost-text.ts';
import type { ExporterLoss } from '../../ingest/losses/feed-losses.ts';

const LOSS: ExporterLoss = {
  exporter: '192.0.2.1',
  domain: '',
  protocol: 'NetFlow v5',
  unit: 'flows',
  lost: 1200,
};

describe('what was lost, in words', () => {
  it('is null if nothing was lost', () => {
    expect(lostText({ flows: 0, packets: 0, datagrams: 0 })).toBe(null);
  });

  it('names each unit that was lost', () => {
    expect(lostText({ flows: 1200, packets: 0, datagrams: 1 })).toBe(
      '1,200 flows, 1 sFlow datagram',
    );
    expect(lostText({ flows: 0, packets: 2, datagrams: 0 })).toBe('2 export packets');
  });

  it('names the exporter, and its domain if that is known', () => {
    const packets = { protocol: 'NetFlow v9', unit: 'packets', domain: '4', lost: 1 } as const;
    expect(losersText([LOSS, { ...LOSS, ...packets, exporter: '2001:db8::1' }])).toBe(
      '1,200 flows of 192.0.2.1 (NetFlow v5), 1 export packet of 2001:db8::1 (NetFlow v9, domain 4)',
    );
    expect(losersText([{ ...LOSS, exporter: '' }])).toBe('1,200 flows of an exporter (NetFlow v5)');
  });

  it('escapes what a stranger may have sent', () => {
    const forged = { ...LOSS, exporter: '\u001b]0;x\u0007\nfeed: forged', domain: '\n' };
    expect(losersText([forged])).toBe(
      '1,200 flows of \\u001b]0;x\\u0007\\u000afeed: forged (NetFlow v5, domain \\u000a)',
    );
  });

  it('names five exporters, and counts the others', () => {
    expect(losersText(Array(5).fill(LOSS))).not.toContain('other');
    expect(losersText(Array(6).fill(LOSS))).toMatch(/, some of 1 other$/);
    expect(losersText(Array(8).fill(LOSS))).toMatch(/, some of 3 others$/);
  });
});
