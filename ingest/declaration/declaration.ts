import { z } from 'zod';
import { type Guid, parseGuid } from '../../domain/guid.ts';
import { KEY_KINDS, type KeyKind } from '../../domain/key-kind.ts';
import { METER_TYPE_NAMES } from '../../domain/meter-type.ts';
import { shownJson } from '../json-line.ts';
import { isName, isStorable, NAME_FORM } from '../storable-text.ts';
import { SLICE_SECONDS } from './slice-seconds.ts';

/** A mistake in a declaration: where it stands, what must be there, what is there. */
export class DeclarationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DeclarationError';
  }
}

/** A value that is itself when `accepts` says so; `must` says in words what that is. */
const value = <T>(must: string, accepts: (given: unknown) => boolean) =>
  z.custom<T>(accepts, { error: `must be ${must}` });

const MAX_INTEGER = 2 ** 31 - 1;

const integer = (min: number, max: number) =>
  value<number>(
    `an integer from ${min} to ${max}`,
    (given) => Number.isInteger(given) && Number(given) >= min && Number(given) <= max,
  );

const name = value<string>(NAME_FORM, (given) => typeof given === 'string' && isName(given));

const text = value<string>(
  'a text without NUL characters',
  (given) => typeof given === 'string' && isStorable(given),
);

const flag = value<boolean>('true or false', (given) => typeof given === 'boolean');

const guid = z.unknown().transform((given, context): Guid => {
  const parsed = typeof given === 'string' ? parseGuid(given) : null;
  if (parsed !== null) return parsed;
  const message = 'must be a GUID such as {4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

const oneOf = <const T>(choices: readonly T[]) =>
  value<T>(choices.map((choice) => JSON.stringify(choice)).join(' or '), (given) =>
    choices.some((choice) => choice === given),
  );

const nodeUrl = value<string>(
  'an address such as postgres://user:password@host:5432/database',
  (given) => z.url({ protocol: /^postgres(ql)?$/ }).safeParse(given).success,
);

const variableName = value<string>(
  'the name of an environment variable',
  (given) => typeof given === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(given),
);

const object = <T extends z.core.$ZodLooseShape>(shape: T) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `must have no ${issue.keys.map(shownJson).join(', ')}: ` +
          `it may have ${Object.keys(shape).join(', ')}`
        : 'must be an object',
  });

const listOf = <T extends z.ZodType>(element: T) => z.array(element, { error: 'must be a list' });

const NODE = object({
  name: value<string>(
    `${NAME_FORM} other than primary`,
    (given) => typeof given === 'string' && isName(given) && given !== 'primary',
  ),
  role: oneOf(['dr', 'replica']),
  url: nodeUrl.optional(),
  url_env: variableName.optional(),
}).refine((node) => (node.url === undefined) !== (node.url_env === undefined), {
  error: 'must have either url or url_env',
});

const POOL = object({
  name,
  status: name.optional(),
  total_size: integer(0, Number.MAX_SAFE_INTEGER).nullable().optional(),
  avail_size: integer(0, Number.MAX_SAFE_INTEGER).nullable().optional(),
  file_system: text.nullable().optional(),
  path: text.nullable().optional(),
  offline_archive: flag.optional(),
  offline_archive_mounted: flag.optional(),
  additional_info: text.nullable().optional(),
});

const PROBE = object({ id: name, description: text.nullable().optional() });

const METER = object({
  id: integer(0, MAX_INTEGER),
  type: integer(0, METER_TYPE_NAMES.length - 1).optional(),
  topcount: integer(1, MAX_INTEGER).optional(),
  name: name.optional(),
  description: text.optional(),
  units: text.optional(),
});

const CROSSKEY = object({
  parentguid: guid,
  crosskeyguid_1: guid,
  crosskeyguid_2: guid.optional(),
});

const GROUP = object({
  guid,
  name: name.optional(),
  key_kind: oneOf<KeyKind>(KEY_KINDS).optional(),
  bucket_size: integer(1, MAX_INTEGER).optional(),
  topper_bucket_size: integer(1, MAX_INTEGER).optional(),
  sampling_rate: integer(1, MAX_INTEGER).optional(),
  enabled: flag.optional(),
  crosskey: CROSSKEY.optional(),
  meters: listOf(METER).optional(),
});

const DECLARATION = object({
  context: name,
  slice_seconds: oneOf(SLICE_SECONDS).optional(),
  retention_days: integer(1, MAX_INTEGER).nullable().optional(),
  nodes: listOf(NODE).optional(),
  pools: listOf(POOL).optional(),
  probes: listOf(PROBE).optional(),
  groups: listOf(GROUP).optional(),
});

/** What an `apply` file declares. Properties that are left out say nothing. */
export type Declaration = z.infer<typeof DECLARATION>;
export type DeclaredNode = z.infer<typeof NODE>;
export type DeclaredPool = z.infer<typeof POOL>;
export type DeclaredProbe = z.infer<typeof PROBE>;
export type DeclaredGroup = z.infer<typeof GROUP>;
export type DeclaredMeter = z.infer<typeof METER>;

/** Reads a declaration, or fails with a `DeclarationError` that names all its mistakes. */
export function parseDeclaration(input: unknown): Declaration {
  const result = DECLARATION.safeParse(input);
  if (!result.success) {
    throw new DeclarationError(
      result.error.issues.map((issue) => mistake(input, issue)).join('; '),
    );
  }
  checkUnique(result.data);
  return result.data;
}

function mistake(input: unknown, { path, message, code }: z.core.$ZodIssue): string {
  const where = pathText(path);
  if (code === 'unrecognized_keys') return `${where} ${message}`;
  // A node's address may hold a password, and messages end in logs.
  const given = /^nodes\[/.test(where) ? '' : `, got ${shownAt(input, path)}`;
  return `${where} ${message}${given}`;
}

function pathText(path: readonly PropertyKey[]): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return text.join('').replace(/^\./, '') || 'the declaration';
}

function shownAt(input: unknown, path: readonly PropertyKey[]): string {
  let found: unknown = input;
  for (const step of path) found = (found as Record<PropertyKey, unknown>)[step];
  return shownJson(found);
}

/** Within one list no two may be the same thing: which of them should win? */
function checkUnique({ nodes, pools, probes, groups }: Declaration): void {
  refuseTwins(
    'nodes',
    (nodes ?? []).map((node) => node.name),
  );
  refuseTwins(
    'pools',
    (pools ?? []).map((pool) => pool.name),
  );
  refuseTwins(
    'probes',
    (probes ?? []).map((probe) => probe.id),
  );
  refuseTwins(
    'groups',
    (groups ?? []).map((group) => group.guid),
  );
  for (const [i, { meters = [] }] of (groups ?? []).entries()) {
    refuseTwins(
      `groups[${i}].meters`,
      meters.map(({ id }) => id),
    );
  }
}

function refuseTwins(list: string, ids: readonly (string | number)[]): void {
  const twin = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twin === undefined) return;
  throw new DeclarationError(`${list} must name each only once, got ${shownJson(twin)} twice`);
}
