import { malformed } from '../../domain/errors.ts';
import { compileNetworks } from '../../domain/filters/network-filter.ts';
import { IMPORT_FORMATS, type ImportFormat } from '../../domain/import-formats.ts';
import { isName, NAME_FORM } from '../../domain/text/storable-text.ts';
import { isTimeZone } from '../../domain/time/time-zone.ts';
import { CONTEXT } from '../parameters/decode-common.ts';
import { booleanParameter, type Parameter } from '../parameters/parameter.ts';
import { fromQuery, type Parameters } from '../parameters/parameters.ts';

export const UPLOAD_PATH = '/upload';

const PORT_RULES = ['registered', 'destination'] as const;

/** How an uploaded file is to be imported. null, and an empty list: as `import` does by default. */
export type Upload = {
  readonly context: string;
  readonly format: ImportFormat;
  /** What messages and the record of imports call the file. */
  readonly name: string;
  readonly home: readonly string[];
  readonly probe: string | null;
  readonly timeZone: string | null;
  readonly servicePort: (typeof PORT_RULES)[number] | null;
  readonly again: boolean;
  readonly ifNew: boolean;
  readonly grown: boolean;
  readonly allowEmpty: boolean;
  readonly skipBadLines: boolean;
};

const UNNAMED = 'uploaded file';

type OptionalText<T extends string> = Omit<Parameter<T | null>, 'absent' | 'required' | 'read'> & {
  /** What the value must be. */
  readonly must: string;
  readonly isFit: (text: string) => text is T;
};

/** A text of a certain form; null: not given. */
const optional = <T extends string>({
  must,
  isFit,
  ...described
}: OptionalText<T>): Parameter<T | null> => ({
  ...described,
  absent: null,
  required: false,
  read(parameters) {
    const text = parameters.text(described.name);
    if (text === null || isFit(text)) return text;
    throw malformed(described.name, must, text);
  },
});

const nameOf = (name: string, meaning: string, example: string): Parameter<string | null> =>
  optional({
    name,
    meaning,
    example,
    form: 'text',
    schema: { type: 'string' },
    must: NAME_FORM,
    isFit: (text): text is string => isName(text),
  });

const wordOf = <const Word extends string>(
  name: string,
  words: readonly Word[],
  { meaning, example }: { readonly meaning: string; readonly example: Word },
): Parameter<Word | null> =>
  optional({
    name,
    meaning,
    example,
    form: words.map((word) => `\`${word}\``).join(', '),
    schema: { type: 'string', enum: words },
    must: `one of ${words.join(', ')}`,
    isFit: (text): text is Word => words.some((word) => word === text),
  });

const flag = (name: string, meaning: string): Parameter<boolean> =>
  booleanParameter({ name, meaning, example: false }, false);

const FORMAT: Parameter<ImportFormat | null> = {
  ...wordOf('format', IMPORT_FORMATS, { meaning: 'the format of the file', example: 'zeek' }),
  required: true,
};

const HOME: Parameter<readonly string[]> = {
  name: 'home',
  form: 'list of networks',
  absent: null,
  required: false,
  meaning: 'the home networks of flows; left out: the private networks',
  schema: { type: 'array', items: { type: 'string' } },
  example: ['10.0.0.0/8', '192.0.2.0/24'],
  read(parameters) {
    const networks = parameters.list('home').flatMap((text) => text.split(','));
    compileNetworks(networks, ['ip'], 'home');
    return networks;
  },
};

const TIME_ZONE: Parameter<string | null> = optional({
  name: 'time_zone',
  form: 'IANA time zone',
  meaning: 'the zone of the local times that nfdump and pmacct write; left out: that of the server',
  schema: { type: 'string' },
  example: 'Europe/Berlin',
  must: 'an IANA time zone such as Europe/Berlin',
  isFit: (text): text is string => isTimeZone(text),
});

const OWN = {
  name: nameOf('name', 'what messages and the record of imports call the file', 'conn.log.gz'),
  probe: nameOf('probe', 'the probe of flows, and of samples that name none', 'p1'),
  servicePort: wordOf('service_port', PORT_RULES, {
    meaning:
      'the port under which Apps counts a one-way flow; `registered`, the default, is the one that IANA registers as a service, or else the lower',
    example: 'registered',
  }),
  again: flag('again', 'whether a file that was imported before counts once more'),
  ifNew: flag('if_new', 'whether a file that was imported before is skipped instead of refused'),
  grown: flag(
    'grown',
    'whether of a file whose beginning was imported before the lines since then are imported',
  ),
  allowEmpty: flag('allow_empty', 'whether a file may be imported of which nothing is counted'),
  skipBadLines: flag('skip_bad_lines', 'whether lines that cannot be read are skipped and named'),
} as const;

/** All parameters of an upload. */
export const UPLOAD_PARAMETERS: readonly Parameter<unknown>[] = [
  CONTEXT,
  FORMAT,
  HOME,
  TIME_ZONE,
  ...Object.values(OWN),
];

const NAMES: ReadonlySet<string> = new Set(UPLOAD_PARAMETERS.map(({ name }) => name));

/**
 * Reads the parameters of an upload, all of which are in its address. Errors: 400 for a malformed
 * value and, since whoever gives a parameter expects an effect, for an unknown one.
 */
export function decodeUpload(query: URLSearchParams): Upload {
  const unknown = [...query.keys()].find((name) => !NAMES.has(name.replace(/\[\]$/, '')));
  if (unknown !== undefined) {
    throw malformed('Each parameter', `one of ${[...NAMES].join(', ')}`, unknown);
  }
  const parameters = fromQuery(query);
  return {
    context: required(parameters, CONTEXT, NAME_FORM, isName),
    format: required(parameters, FORMAT, `one of ${IMPORT_FORMATS.join(', ')}`),
    home: HOME.read(parameters),
    timeZone: TIME_ZONE.read(parameters),
    name: OWN.name.read(parameters) ?? UNNAMED,
    probe: OWN.probe.read(parameters),
    servicePort: OWN.servicePort.read(parameters),
    again: OWN.again.read(parameters),
    ifNew: OWN.ifNew.read(parameters),
    grown: OWN.grown.read(parameters),
    allowEmpty: OWN.allowEmpty.read(parameters),
    skipBadLines: OWN.skipBadLines.read(parameters),
  };
}

function required<T extends string>(
  parameters: Parameters,
  { name, read }: Parameter<T | null>,
  must: string,
  isFit: (text: T) => boolean = () => true,
): T {
  const value = read(parameters);
  if (value !== null && isFit(value)) return value;
  throw malformed(name, must, value ?? 'none');
}

/** What may follow an option that messages of `import` name with a value. */
const VALUES: Readonly<Record<string, (text: string) => boolean>> = {
  format: (text) => IMPORT_FORMATS.some((format) => format === text),
  time_zone: isTimeZone,
  service_port: (text) => PORT_RULES.some((rule) => rule === text),
};

/** Those that messages name without one. */
const FLAGS: ReadonlySet<string> = new Set(
  [OWN.again, OWN.ifNew, OWN.grown, OWN.allowEmpty, OWN.skipBadLines].map(({ name }) => name),
);

/**
 * Returns a message of `import` with the parameters of an upload in place of the options that it
 * names. Commands in backquotes stay: they are for whoever runs the server.
 */
export const inParameters = (message: string): string =>
  message
    .split(/(`[^`]*`)/)
    .map((part, i) => (i % 2 === 1 ? part : withParameters(part)))
    .join('');

const withParameters = (text: string): string =>
  text.replaceAll(/--([a-z]+(?:-[a-z]+)*)(?: ([\w/+-]+))?/g, (all, option: string, word = '') => {
    const name = option.replaceAll('-', '_');
    if (!NAMES.has(name)) return all;
    if (FLAGS.has(name)) return all.replace(`--${option}`, `${name}=true`);
    const hasValue = VALUES[name]?.(word) ?? false;
    return hasValue ? `${name}=${word}` : all.replace(`--${option}`, name);
  });
