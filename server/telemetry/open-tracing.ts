import { shown } from '../../domain/errors.ts';
import { hasCode } from '../../domain/has-code.ts';
import { SettingsError } from '../settings/settings.ts';
import type { Logger } from './log.ts';
import {
  createTracing,
  importOtel,
  type OtelPackages,
  PROTOCOLS,
  type Protocol,
} from './otel-tracing.ts';
import type { Tracing } from './tracing.ts';

/**
 * Opens tracing to the endpoint that OpenTelemetry's standard variables name. Returns null, and
 * loads nothing, if they ask for no traces. Errors: a `SettingsError` for a variable that cannot be
 * applied.
 */
export async function openTracing(
  env: NodeJS.ProcessEnv,
  log: Logger,
  load: (protocol: Protocol) => Promise<OtelPackages> = importOtel,
): Promise<Tracing | null> {
  const reason = reasonToTrace(env);
  if (reason === null) return null;
  const protocol = protocolOf(env);
  try {
    return createTracing(await load(protocol), log);
  } catch (error) {
    if (!hasCode(error, 'ERR_MODULE_NOT_FOUND')) throw error;
    const packages = packagesFor(protocol).join(' ');
    throw new SettingsError([
      `${reason} is set, but OpenTelemetry is not installed: npm install ${packages}, or unset it`,
    ]);
  }
}

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const;

/** Returns the variable that turns tracing on; null: it is off. */
function reasonToTrace(env: NodeJS.ProcessEnv): string | null {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return null;
  const exporter = env['OTEL_TRACES_EXPORTER'] ?? '';
  if (exporter === 'none') return null;
  if (exporter === 'otlp') return 'OTEL_TRACES_EXPORTER';
  if (exporter !== '') {
    throw refused('OTEL_TRACES_EXPORTER', 'otlp or none', exporter);
  }
  return ENDPOINTS.find((name) => env[name]) ?? null;
}

function protocolOf(env: NodeJS.ProcessEnv): Protocol {
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']) {
    const given = env[name];
    if (!given) continue;
    const known = PROTOCOLS.find((protocol) => protocol === given);
    if (!known) throw refused(name, `one of ${PROTOCOLS.join(', ')}`, given);
    return known;
  }
  return PROTOCOLS[0];
}

const refused = (name: string, must: string, given: string): SettingsError =>
  new SettingsError([`${name} must be ${must}, got ${shown(given)}: correct it, or unset it`]);

/** Returns the names of the packages that tracing needs; each protocol has its own exporter. */
const packagesFor = (protocol: Protocol): string[] => [
  '@opentelemetry/api',
  '@opentelemetry/core',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-base',
  `@opentelemetry/exporter-trace-otlp-${protocol === 'http/json' ? 'http' : 'proto'}`,
];
