/** What to type into a router, switch or firewall, with the collector's address in place of HOST. */
export type RouterLines = { readonly name: string; readonly lines: string };

/** Lines for common exporters; docs/how-to/collect.md has the same, and more. */
export const ROUTERS: readonly RouterLines[] = [
  {
    name: 'MikroTik RouterOS',
    lines: `/ip traffic-flow set enabled=yes interfaces=all active-flow-timeout=1m
/ip traffic-flow target add dst-address=HOST port=2055 version=9 v9-template-timeout=1m`,
  },
  {
    name: 'Cisco IOS and IOS XE',
    lines: `flow exporter COUNTERGRAPH
 destination HOST
 transport udp 2055
 export-protocol netflow-v9
 template data timeout 60
flow record COUNTERGRAPH
 match ipv4 protocol
 match ipv4 source address
 match ipv4 destination address
 match transport source-port
 match transport destination-port
 collect counter bytes long
 collect counter packets long
 collect timestamp sys-uptime first
 collect timestamp sys-uptime last
flow monitor COUNTERGRAPH
 exporter COUNTERGRAPH
 record COUNTERGRAPH
 cache timeout active 60
interface GigabitEthernet0/0
 ip flow monitor COUNTERGRAPH input`,
  },
  {
    name: 'Juniper Junos',
    lines: [
      'set services flow-monitoring version-ipfix template ipv4 ipv4-template',
      'set services flow-monitoring version-ipfix template ipv4 flow-active-timeout 60',
      'set services flow-monitoring version-ipfix template ipv4 template-refresh-rate seconds 60',
      'set forwarding-options sampling instance cg input rate 1000',
      'set forwarding-options sampling instance cg family inet output flow-server HOST port 2055',
      'set forwarding-options sampling instance cg family inet output flow-server HOST version-ipfix template ipv4',
      'set forwarding-options sampling instance cg family inet output inline-jflow source-address ROUTER',
      'set chassis fpc 0 sampling-instance cg',
      'set interfaces ge-0/0/0 unit 0 family inet sampling input',
    ].join('\n'),
  },
  {
    name: 'Fortinet FortiOS',
    lines: `config system netflow
    set collector-ip HOST
    set collector-port 2055
    set active-flow-timeout 60
end
config system interface
    edit port1
        set netflow-sampler both
    next
end`,
  },
  {
    name: 'Arista EOS, and others with sFlow',
    lines: `sflow sample 1000
sflow destination HOST
sflow run`,
  },
  {
    name: 'OPNsense and pfSense',
    lines: `OPNsense: Reporting, NetFlow: choose the interfaces, version 9, and HOST:2055 as the destination
pfSense: the package softflowd, with host HOST, port 2055, version 9, general timeout 60`,
  },
  { name: 'Linux', lines: 'softflowd -i eth0 -n HOST:2055 -v 9 -t maxlife=60' },
];

/** Returns the lines for an exporter, with the address that it is to send to. */
export const linesFor = ({ lines }: RouterLines, host: string): string =>
  lines.replaceAll('HOST:2055', atPort(host, 2055)).replaceAll('HOST', host);

/** An IPv6 address is in brackets beside a port. */
export const atPort = (host: string, port: number): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;
