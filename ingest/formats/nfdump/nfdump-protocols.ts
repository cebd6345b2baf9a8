import { protocolNumber } from '../../../domain/keys/ip-protocols.ts';

/**
 * Names of nfdump up to 1.7.4 that are not IANA's keywords. They take precedence: `IPIP` is
 * protocol 4 in nfdump, and 94 in the registry.
 */
const NAMES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    IPIP: 4,
    BBN: 10,
    NVPII: 11,
    ENCOM: 14,
    DCN: 19,
    XNS: 22,
    TRNK1: 23,
    TRNK2: 24,
    LEAF1: 25,
    LEAF2: 26,
    'ISO-4': 29,
    NETBK: 30,
    MFESP: 31,
    MEINP: 32,
    RTE6: 43,
    FRAG6: 44,
    MHRP: 48,
    INLSP: 52,
    MOBIL: 55,
    ICMP6: 58,
    NOHE6: 59,
    OPTS6: 60,
    HOST: 61,
    NET: 63,
    SATNT: 64,
    KLAN: 65,
    FS: 68,
    SATM: 69,
    BSATM: 76,
    SUNND: 77,
    WBMON: 78,
    WBEXP: 79,
    ISOIP: 80,
    SVMTP: 82,
    TTP: 84,
    NSIGP: 85,
    OSPF: 89,
    'S-RPC': 90,
    OS: 94,
    SCCSP: 96,
    ETHIP: 97,
    IPCMP: 108,
    CPQPP: 110,
    IPXIP: 111,
    '0HOP': 114,
    ISIS4: 124,
    MHEAD: 135,
    'UDP-L': 136,
    MPLS: 137,
  }),
);

/** Returns the number of a protocol as nfdump writes it; newer versions write the number itself. */
export function nfdumpProtocol(text: string): number | null {
  const name = text.trim();
  if (/^\d{1,3}$/.test(name)) return Number(name) <= 255 ? Number(name) : null;
  return NAMES.get(name.toUpperCase()) ?? protocolNumber(name);
}
