/**
 * Keywords of the IANA registry "Protocol Numbers", each at its number. Null if the registry gives
 * a use but no keyword (61, 63, 68, 99, 114). Numbers after the table are unassigned, for
 * experiments (253, 254) or reserved (255). Marks like "(deprecated)" are not part of a keyword.
 */
// biome-ignore format: five to a line are easier to check against the registry.
const KEYWORDS: readonly (string | null)[] = [
  'HOPOPT', 'ICMP', 'IGMP', 'GGP', 'IPv4', // 0
  'ST', 'TCP', 'CBT', 'EGP', 'IGP', // 5
  'BBN-RCC-MON', 'NVP-II', 'PUP', 'ARGUS', 'EMCON', // 10
  'XNET', 'CHAOS', 'UDP', 'MUX', 'DCN-MEAS', // 15
  'HMP', 'PRM', 'XNS-IDP', 'TRUNK-1', 'TRUNK-2', // 20
  'LEAF-1', 'LEAF-2', 'RDP', 'IRTP', 'ISO-TP4', // 25
  'NETBLT', 'MFE-NSP', 'MERIT-INP', 'DCCP', '3PC', // 30
  'IDPR', 'XTP', 'DDP', 'IDPR-CMTP', 'TP++', // 35
  'IL', 'IPv6', 'SDRP', 'IPv6-Route', 'IPv6-Frag', // 40
  'IDRP', 'RSVP', 'GRE', 'DSR', 'BNA', // 45
  'ESP', 'AH', 'I-NLSP', 'SWIPE', 'NARP', // 50
  'Min-IPv4', 'TLSP', 'SKIP', 'IPv6-ICMP', 'IPv6-NoNxt', // 55
  'IPv6-Opts', null, 'CFTP', null, 'SAT-EXPAK', // 60
  'KRYPTOLAN', 'RVD', 'IPPC', null, 'SAT-MON', // 65
  'VISA', 'IPCV', 'CPNX', 'CPHB', 'WSN', // 70
  'PVP', 'BR-SAT-MON', 'SUN-ND', 'WB-MON', 'WB-EXPAK', // 75
  'ISO-IP', 'VMTP', 'SECURE-VMTP', 'VINES', 'IPTM', // 80
  'NSFNET-IGP', 'DGP', 'TCF', 'EIGRP', 'OSPFIGP', // 85
  'Sprite-RPC', 'LARP', 'MTP', 'AX.25', 'IPIP', // 90
  'MICP', 'SCC-SP', 'ETHERIP', 'ENCAP', null, // 95
  'GMTP', 'IFMP', 'PNNI', 'PIM', 'ARIS', // 100
  'SCPS', 'QNX', 'A/N', 'IPComp', 'SNP', // 105
  'Compaq-Peer', 'IPX-in-IP', 'VRRP', 'PGM', null, // 110
  'L2TP', 'DDX', 'IATP', 'STP', 'SRP', // 115
  'UTI', 'SMP', 'SM', 'PTP', 'ISIS over IPv4', // 120
  'FIRE', 'CRTP', 'CRUDP', 'SSCOPMCE', 'IPLT', // 125
  'SPS', 'PIPE', 'SCTP', 'FC', 'RSVP-E2E-IGNORE', // 130
  'Mobility Header', 'UDPLite', 'MPLS-in-IP', 'manet', 'HIP', // 135
  'Shim6', 'WESP', 'ROHC', 'Ethernet', 'AGGFRAG', // 140
  'NSH', 'Homa', 'BIT-EMU', // 145
];

const NUMBERS: ReadonlyMap<string, number> = new Map(
  KEYWORDS.flatMap((keyword, number) =>
    keyword === null ? [] : [[keyword.toLowerCase(), number]],
  ),
);

/** The IANA keyword of a protocol number, or null if it has none. */
export const protocolKeyword = (number: number): string | null => KEYWORDS[number] ?? null;

/** The number of an IANA keyword, given in any case, or null. */
export const protocolNumber = (keyword: string): number | null =>
  NUMBERS.get(keyword.toLowerCase()) ?? null;
