import { describe, expect, it } from 'vitest';
import { createWayFinder } from '../../../ingest/formats/nfdump/nfdump-ways.ts';

const HEADER = 'ts,te,td,sa,da,sp,dp,pr,flg,ipkt,ibyt,opkt,obyt';
const row = (back: string, address = '10.0.0.1') =>
  `2023-11-14 22:18:29,2023-11-14 22:18:30,1.000,${address},198.51.100.7,51000,443,TCP,..,3,120,${back}`;
const SUMMARY = 'Summary\nflows,bytes,packets,avg_bps,avg_pps,avg_bpp\n1,120,3,1,2,3';

/** Whether the text, read in blocks, is recognised as output of `nfdump -B`. */
function isTwoWay(text: string, blockBytes = 7): boolean {
  const ways = createWayFinder();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += blockBytes) {
    ways.push(bytes.subarray(at, at + blockBytes));
  }
  return ways.end();
}

describe('a file of nfdump', () => {
  it.each([
    ['with a header and no rows', [HEADER], false],
    ['whose rows have no traffic in reverse', [HEADER, row('0,0'), row('0,0'), SUMMARY], false],
    ['whose first row has traffic in reverse', [HEADER, row('1,40'), row('0,0'), SUMMARY], true],
    ['whose last row has traffic in reverse', [HEADER, row('0,0'), row('0,0'), row('1,40')], true],
    [
      'whose second output has traffic in reverse',
      [HEADER, row('0,0'), SUMMARY, HEADER, row('2,80')],
      true,
    ],
    ['whose only such row is invalid', [HEADER, row('1,40', 'host'), row('0,0')], true],
    ['with a line that is not a row', [HEADER, '1,2,3', row('0,0')], false],
    ['with amounts that are not numbers', [HEADER, row('x,x')], false],
    ['without a header', [row('1,40')], false],
    ['with a selection of columns', ['ts,sa,da,dp,pr,ipkt,ibyt', '1,a,b,3,TCP,5,6'], false],
    [
      'with a selection of columns that includes bytes in reverse',
      ['ts,sa,da,dp,pr,ipkt,ibyt,obyt', '1,a,b,3,4,5,6,7'],
      true,
    ],
    [
      'with the column names of nfdump 1.7.5',
      ['firstSeen,srcAddr,dstAddr,dstPort,proto,packets,bytes,outPackets', '1,a,b,3,4,5,6,7'],
      true,
    ],
  ])('%s: %j is of `nfdump -B`: %s', (_, lines, expected) => {
    expect(isTwoWay(`${lines.join('\n')}\n`)).toBe(expected);
    expect(isTwoWay(lines.join('\r\n'), 1)).toBe(expected);
  });
});
