/** Limits of the decoders of exporters' datagrams, each with its reason. */
export const DATAGRAM_LIMITS = {
  /** How long a flow of a datagram may last: routers report longer ones in parts. */
  datagramFlowSeconds: 86_400,
  /** Exporters whose templates are remembered: thousands, as their addresses may be forged. */
  templateExporters: 4_096,
  /** Datagrams after which an address is hardly a forged one: those come once, or a few times. */
  templateKnownDatagrams: 4,
  /** Ports and domains of one of them: a large router has a domain for each of its line cards. */
  templateDomains: 256,
  /** Templates of one domain: probes that write one for each kind of flow have some hundred. */
  templatesPerDomain: 1_024,
  /** Fields of one template: the longest ones of routers and probes have about 100. */
  templateFields: 1_000,
  /** Fields of all templates of an exporter, and of the connections through it. */
  templateFieldsPerExporter: 300_000,
  /** Fields of all templates together: each takes about 50 bytes. */
  templateFieldsInAll: 1_000_000,
  /** Fields that each template and each domain counts as in these two: its objects. */
  templateOverheadFields: 32,
  /** How long a template is used unless it is sent again: thrice the rarest interval, 8 hours. */
  templateLifetimeMs: 86_400_000,
  /** How often templates are searched for those that are out of date: that need not be soon. */
  templateSweepMs: 60_000,
  /** How long data wait for their template: probes send it about once a minute. */
  templateWaitMs: 60_000,
  /** Datagrams of an exporter that wait. */
  templateWaitDatagrams: 64,
  /** Bytes of the datagrams of an exporter that wait: jumbo frames fit. */
  templateWaitBytesPerExporter: 1024 * 1024,
  /** Bytes of all datagrams that wait. */
  templateWaitBytes: 16 * 1024 * 1024,
  /** Bytes that each set of a datagram counts as in these two: its objects. */
  templateWaitSetBytes: 256,
  /** Samplers of one domain: a router may have one for each of its interfaces. */
  samplersPerDomain: 1_024,
  /** Connections through a firewall that are followed, each counting as four fields. */
  firewallConnections: 65_536,
  /** How far an exporter's start may seem to move: headers have whole seconds, clocks are set. */
  exporterRestartMs: 5_000,
} as const;
