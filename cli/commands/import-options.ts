import { type Command, InvalidArgumentError, Option } from 'commander';
import { IMPORT_FORMATS, type ImportFormat } from '../../domain/import-formats.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isTimeZone } from '../../domain/time/time-zone.ts';
import { DEFAULT_HOME, isNetworkAddress } from '../../ingest/flows/address-scope.ts';
import type { PortRule } from '../../ingest/flows/flow.ts';
import {
  LOCAL_TIME_FORMATS,
  ONE_WAY_FORMATS,
  whyNoPortRule,
} from '../../ingest/formats/flow-formats.ts';
import { parseEngine, parseName } from '../option-values.ts';
import { UsageError } from '../usage-error.ts';

export type ImportOptions = {
  context: string;
  format: ImportFormat;
  home?: string[];
  timeZone?: string;
  servicePort?: PortRule;
  mmdb?: string[];
  probe?: string;
  engine?: number;
  again?: true;
  ifNew?: true;
  grown?: true;
  allowEmpty?: true;
  follow?: true;
  lateness?: number;
  beside?: true;
  skipBadLines?: true;
  json?: true;
};

/** A feed commits all flows when its memory is half full. */
const FLOWS_AT_ONCE = (LIMITS.feedPendingFlows / 2).toLocaleString('en');

const inWords = (items: readonly string[]): string =>
  new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(items);

const LOCAL_TIMES = inWords(LOCAL_TIME_FORMATS);

const ONE_WAY = inWords(ONE_WAY_FORMATS.map(({ format }) => format));
const ONE_WAY_INPUTS = ONE_WAY_FORMATS.map(({ inputs }) => inputs).join(', ');

export function addImportOptions(command: Command): Command {
  return addFlowOptions(addContextOptions(command))
    .option('--probe <id>', 'the probe of flows, and of samples that name none', parseName)
    .option('--engine <n>', 'the engine instance whose slices are filled (default: 0)', parseEngine)
    .option('--follow', 'read an endless stream of flows from -, and commit it bucket by bucket')
    .option(
      '--lateness <seconds>',
      'with --follow: how long to wait for more flows of a bucket after its end, ' +
        `unless ${FLOWS_AT_ONCE} flows are waiting (default: ${LIMITS.feedLatenessSeconds})`,
      parseLateness,
    )
    .option(
      '--beside',
      'with --follow: even while another feed fills the same context and probe; otherwise it waits ' +
        `${LIMITS.feedBesideWaitMs / 1000} s for the other to end, and fails`,
    )
    .option(
      '--again',
      'import all of a file even if its content, or its beginning, was imported before, ' +
        'and counts twice then',
    )
    .option(
      '--if-new',
      'skip a file whose content, or its beginning, was imported before, instead of failing',
    )
    .option(
      '--grown',
      'of a file whose beginning was imported before, import the lines that it has got since',
    )
    .option(
      '--allow-empty',
      'accept an input of which nothing is counted, which otherwise fails if its lines were skipped, ' +
        'or if it is of nfdump',
    )
    .option('--skip-bad-lines', 'count and name lines that cannot be read, instead of stopping')
    .option('--json', 'print the result of each file as a line of JSON');
}

const addContextOptions = (command: Command): Command =>
  command
    .requiredOption(
      '--context <name>',
      'the context; flow formats create it if it does not exist',
      parseName,
    )
    .addOption(
      new Option('--format <format>', 'the format of the files')
        .choices(IMPORT_FORMATS)
        .makeOptionMandatory(),
    );

const addFlowOptions = (command: Command): Command =>
  command
    .addOption(homeOption())
    .option(
      '--time-zone <name>',
      `the time zone of local times from ${LOCAL_TIMES} (default: COUNTERGRAPH_TIME_ZONE)`,
      parseTimeZone,
    )
    .addOption(
      new Option(
        '--service-port <rule>',
        `the port under which Apps counts a one-way flow (${ONE_WAY_INPUTS}): ` +
          'registered is the one that IANA registers as a service, or else the lower (default: registered)',
      ).choices(['registered', 'destination'] satisfies PortRule[]),
    )
    .addOption(mmdbOption());

export const homeOption = (): Option =>
  new Option(
    '--home <cidr>',
    `a home network, for flow formats; repeatable (default: ${DEFAULT_HOME.join(', ')})`,
  ).argParser(collectNetworks);

export const mmdbOption = (): Option =>
  new Option(
    '--mmdb <file>',
    'a database of countries or of autonomous systems (MaxMind format), to count flows by them; repeatable',
  ).argParser((file: string, before: string[] | undefined) => [...(before ?? []), file]);

/** Rejects options that mean nothing for the format: a user who gives one expects an effect. */
export function refuseMismatch(options: ImportOptions): void {
  const { format, home, mmdb, timeZone, servicePort, follow, lateness, beside } = options;
  if (format === 'samples' && (home || mmdb)) {
    throw new UsageError(`${home ? '--home' : '--mmdb'} is for flow formats: leave it out`);
  }
  if (timeZone && !LOCAL_TIME_FORMATS.some((each) => each === format)) {
    throw new UsageError(
      `--time-zone is for ${LOCAL_TIMES}: other formats write times with their zone`,
    );
  }
  if (servicePort) refuseServicePort(format);
  if (follow && format === 'samples') {
    throw new UsageError('--follow is for flow formats: import samples file by file');
  }
  refuseAgain(options);
  if (lateness !== undefined && !follow) {
    throw new UsageError('--lateness is for --follow: a file is committed as a whole');
  }
  if (beside && !follow) {
    throw new UsageError('--beside is for --follow: imports of files wait for each other');
  }
}

function refuseAgain({ again, ifNew, grown, follow }: ImportOptions): void {
  const given = [again && '--again', ifNew && '--if-new', grown && '--grown'].filter(Boolean);
  if (given.length > 1) {
    throw new UsageError(`${given.join(' and ')} contradict each other: give one of them`);
  }
  if (follow && given.length > 0) {
    throw new UsageError(`${given[0]} is for files: an endless stream is not recorded as one`);
  }
}

function refuseServicePort(format: ImportFormat): void {
  const why = format === 'samples' ? 'samples name their keys' : whyNoPortRule(format);
  if (why === null) return;
  throw new UsageError(
    `--service-port is for ${ONE_WAY}, which report one direction of a flow: ${why}, leave it out`,
  );
}

export function collectNetworks(text: string, before: string[] | undefined): string[] {
  if (isNetworkAddress(text)) return [...(before ?? []), text];
  throw new InvalidArgumentError('It must be a network in CIDR form or an address.');
}

export function parseLateness(text: string): number {
  const max = LIMITS.feedLatenessCeilingSeconds;
  if (/^\d{1,6}$/.test(text) && Number(text) <= max) return Number(text);
  throw new InvalidArgumentError(`It must be an integer from 0 to ${max}.`);
}

function parseTimeZone(text: string): string {
  if (isTimeZone(text)) return text;
  throw new InvalidArgumentError('It must be an IANA time zone such as Europe/Berlin.');
}
