import type { z } from 'zod';
import { MAX_INTEGER } from '../../domain/alerts/rule-forms.ts';
import { KEY_KINDS, type KeyKind } from '../../domain/keys/key-kind.ts';
import { DATABASE_URL_FORM, isDatabaseUrl } from '../../domain/text/database-url.ts';
import { isName, NAME_FORM } from '../../domain/text/storable-text.ts';
import { METER_TYPE_NAMES } from '../../domain/toppers/meter-type.ts';
import { shownJsonValue } from '../lines/json-line.ts';
import {
  ALERT,
  ALERT_IN_PART,
  type DeclaredAlert,
  type DeclaredSink,
  type Removal,
  SINK,
} from './alert-shapes.ts';
import {
  declaredChoice,
  declaredInteger,
  declaredList,
  declaredText,
  flag,
  guid,
  name,
  object,
  value,
  variableName,
} from './declared-value.ts';
import { SLICE_SECONDS } from './slice-seconds.ts';

/** A mistake in a declaration: where it is, what must be there, and what is there. */
export class DeclarationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DeclarationError';
  }
}

const nodeUrl = value<string>(DATABASE_URL_FORM, isDatabaseUrl);

const NODE = object({
  name: value<string>(
    `${NAME_FORM}, other than primary`,
    (given) => typeof given === 'string' && isName(given) && given !== 'primary',
  ),
  role: declaredChoice(['dr', 'replica']),
  url: nodeUrl.optional(),
  url_env: variableName.optional(),
  share: flag.optional(),
})
  .refine((node) => (node.url === undefined) !== (node.url_env === undefined), {
    error: 'must have either url or url_env',
  })
  .refine(({ role, share }) => share !== true || role === 'replica', {
    path: ['share'],
    error: 'must be left out or false: only a node of the role replica can be shared',
  });

const POOL = object({
  name,
  status: name.optional(),
  total_size: declaredInteger(0, Number.MAX_SAFE_INTEGER).nullable().optional(),
  avail_size: declaredInteger(0, Number.MAX_SAFE_INTEGER).nullable().optional(),
  file_system: declaredText.nullable().optional(),
  path: declaredText.nullable().optional(),
  offline_archive: flag.optional(),
  offline_archive_mounted: flag.optional(),
  additional_info: declaredText.nullable().optional(),
});

const PROBE = object({ id: name, description: declaredText.nullable().optional() });

const METER = object({
  id: declaredInteger(0, MAX_INTEGER),
  type: declaredInteger(0, METER_TYPE_NAMES.length - 1).optional(),
  topcount: declaredInteger(1, MAX_INTEGER).optional(),
  name: name.optional(),
  description: declaredText.optional(),
  units: declaredText.optional(),
});

const CROSSKEY = object({
  parentguid: guid,
  crosskeyguid_1: guid,
  crosskeyguid_2: guid.optional(),
});

const GROUP = object({
  guid,
  name: name.optional(),
  key_kind: declaredChoice<KeyKind>(KEY_KINDS).optional(),
  bucket_size: declaredInteger(1, MAX_INTEGER).optional(),
  topper_bucket_size: declaredInteger(1, MAX_INTEGER).optional(),
  sampling_rate: declaredInteger(1, MAX_INTEGER).optional(),
  enabled: flag.optional(),
  crosskey: CROSSKEY.optional(),
  keys_of: guid.nullable().optional(),
  meters: declaredList(METER).optional(),
});

const DECLARATION = object({
  context: name,
  slice_seconds: declaredChoice(SLICE_SECONDS).optional(),
  retention_days: declaredInteger(1, MAX_INTEGER).nullable().optional(),
  nodes: declaredList(NODE).optional(),
  pools: declaredList(POOL).optional(),
  probes: declaredList(PROBE).optional(),
  groups: declaredList(GROUP).optional(),
  alerts: declaredList(ALERT).optional(),
  notify: declaredList(SINK).optional(),
});

/** The same, without the mistakes of rules and sinks: null for what cannot be checked further. */
const WITHOUT_MISTAKEN = DECLARATION.extend({
  alerts: declaredList(ALERT_IN_PART).optional(),
  notify: declaredList(SINK.nullable().catch(null)).optional(),
});

/** What an `apply` file declares. An omitted property declares nothing. */
export type Declaration = Omit<z.infer<typeof DECLARATION>, 'alerts' | 'notify'> & {
  /** Null for a rule, or a sink, that cannot be checked further because of its mistakes. */
  readonly alerts?: readonly (DeclaredAlert | Removal | null)[] | undefined;
  readonly notify?: readonly (DeclaredSink | Removal | null)[] | undefined;
  /** The mistakes in the form of rules and sinks. */
  readonly mistakes: readonly string[];
};
export type DeclaredNode = z.infer<typeof NODE>;
export type DeclaredPool = z.infer<typeof POOL>;
export type DeclaredProbe = z.infer<typeof PROBE>;
export type DeclaredGroup = z.infer<typeof GROUP>;
export type DeclaredMeter = z.infer<typeof METER>;

/**
 * Parses a declaration. Throws a `DeclarationError` that names all its mistakes. Those of rules and
 * sinks are returned instead if there are no others, because they are reported together with the
 * mistakes of rules that only the groups of the context show.
 */
export function parseDeclaration(input: unknown): Declaration {
  const result = DECLARATION.safeParse(input);
  const issues = result.error?.issues ?? [];
  const mistakes = issues.map((issue) => mistake(input, issue));
  if (!issues.every(isOfAlerting)) throw new DeclarationError(mistakes.join('; '));
  const declaration = result.data ?? WITHOUT_MISTAKEN.parse(input);
  mistakes.push(...twinsIn('alerts', namesOf(declaration.alerts)));
  mistakes.push(...twinsIn('notify', namesOf(declaration.notify)));
  const twins = twinsOf(declaration);
  if (twins.length > 0) throw new DeclarationError([...twins, ...mistakes].join('; '));
  return { ...declaration, mistakes };
}

const isOfAlerting = ({ path }: z.core.$ZodIssue): boolean =>
  (path[0] === 'alerts' || path[0] === 'notify') && typeof path[1] === 'number';

const namesOf = (declared: readonly ({ name: string } | null)[] = []): string[] =>
  declared.flatMap((each) => each?.name ?? []);

function mistake(input: unknown, { path, message, code }: z.core.$ZodIssue): string {
  const where = pathText(path);
  if (code === 'unrecognized_keys') return `${where} ${message}`;
  const given = mayHoldSecret(path) ? '' : `, got ${shownAt(input, path)}`;
  return `${where} ${message}${given}`;
}

/**
 * The address of a node or sink may hold a password, also if it is given where the name of its
 * variable belongs, and messages end up in logs.
 */
function mayHoldSecret([list, , field]: readonly PropertyKey[]): boolean {
  if (list !== 'nodes' && list !== 'notify') return false;
  return field === undefined || /^(url|secret)/.test(String(field));
}

function pathText(path: readonly PropertyKey[]): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return text.join('').replace(/^\./, '') || 'the declaration';
}

function shownAt(input: unknown, path: readonly PropertyKey[]): string {
  let found: unknown = input;
  for (const step of path) found = (found as Record<PropertyKey, unknown>)[step];
  return shownJsonValue(found);
}

/** What is named twice in other lists: it would be unclear which one wins. */
function twinsOf(declaration: Omit<Declaration, 'mistakes'>): string[] {
  const { nodes = [], pools = [], probes = [], groups = [] } = declaration;
  const meters = groups.map((group, i) =>
    twinsIn(
      `groups[${i}].meters`,
      (group.meters ?? []).map(({ id }) => id),
    ),
  );
  return [
    ...twinsIn(
      'nodes',
      nodes.map((node) => node.name),
    ),
    ...twinsIn(
      'pools',
      pools.map((pool) => pool.name),
    ),
    ...twinsIn(
      'probes',
      probes.map((probe) => probe.id),
    ),
    ...twinsIn(
      'groups',
      groups.map((group) => group.guid),
    ),
    ...meters.flat(),
  ];
}

function twinsIn(list: string, ids: readonly (string | number)[]): string[] {
  const twins = new Set(ids.filter((id, i) => ids.indexOf(id) !== i));
  return [...twins].map(
    (id) => `${list} must name each only once, got ${shownJsonValue(id)} twice`,
  );
}
