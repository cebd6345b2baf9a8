import { describe, expect, it } from 'vitest';
import { protocolKeyword, protocolNumber } from '../../../domain/keys/ip-protocols.ts';

describe('the registry of IP protocols', () => {
  it.each([
    [0, 'HOPOPT'],
    [1, 'ICMP'],
    [6, 'TCP'],
    [9, 'IGP'],
    [10, 'BBN-RCC-MON'],
    [17, 'UDP'],
    [29, 'ISO-TP4'],
    [39, 'TP++'],
    [41, 'IPv6'],
    [47, 'GRE'],
    [50, 'ESP'],
    [58, 'IPv6-ICMP'],
    [60, 'IPv6-Opts'],
    [70, 'VISA'],
    [80, 'ISO-IP'],
    [89, 'OSPFIGP'],
    [90, 'Sprite-RPC'],
    [98, 'ENCAP'],
    [100, 'GMTP'],
    [112, 'VRRP'],
    [115, 'L2TP'],
    [120, 'UTI'],
    [132, 'SCTP'],
    [135, 'Mobility Header'],
    [139, 'HIP'],
    [145, 'NSH'],
    [147, 'BIT-EMU'],
  ])('calls %d %s, in any case', (number, keyword) => {
    expect(protocolKeyword(number)).toBe(keyword);
    expect(protocolNumber(keyword)).toBe(number);
    expect(protocolNumber(keyword.toLowerCase())).toBe(number);
    expect(protocolNumber(keyword.toUpperCase())).toBe(number);
  });

  it.each([61, 63, 68, 99, 114, 148, 252, 253, 254, 255])('has no keyword for %d', (number) => {
    expect(protocolKeyword(number)).toBeNull();
  });

  it('has no keyword twice, regardless of case', () => {
    for (let number = 0; number < 256; number += 1) {
      const keyword = protocolKeyword(number);
      if (keyword !== null) expect(protocolNumber(keyword)).toBe(number);
    }
  });

  it.each(['', 'ip', '6', 'TCP ', 'constructor'])('knows no keyword %j', (keyword) => {
    expect(protocolNumber(keyword)).toBeNull();
  });
});
