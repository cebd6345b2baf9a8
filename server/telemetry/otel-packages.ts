/** Protocols for sending traces; the first is OpenTelemetry's default. */
export const PROTOCOLS = ['http/protobuf', 'http/json'] as const;

export type Protocol = (typeof PROTOCOLS)[number];

export type OtelPackages = Awaited<ReturnType<typeof importOtel>>;

/** Imports some 30 MB that most users do not need: they are optional, and are loaded only here. */
export async function importOtel(protocol: Protocol) {
  const [api, core, resources, sdk, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-base'),
    protocol === 'http/json'
      ? import('@opentelemetry/exporter-trace-otlp-http')
      : import('@opentelemetry/exporter-trace-otlp-proto'),
  ]);
  return { api, core, resources, sdk, OTLPTraceExporter };
}
