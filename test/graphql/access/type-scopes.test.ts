import { isObjectType } from 'graphql';
import { expect, it } from 'vitest';
import { Identity } from '../../../resolvers/callers/identity.ts';
import type { RequestScope } from '../../../resolvers/request-scope.ts';
import { typeGuards } from '../../../schema/compiled/type-scopes.ts';
import { schema } from '../../../schema/schema.ts';

const guards = typeGuards(schema);

const scopeOf = (contexts: readonly string[] | null, isAdmin = false): RequestScope => {
  const identity =
    contexts &&
    new Identity({
      username: 'ada',
      claim: { username: 'ada', digest: Buffer.alloc(32), slicesOf: null },
      tokenDigest: null,
      shownName: null,
      isAdmin,
      contexts: new Map(
        contexts.map((name) => [
          name,
          { contextId: 1, name, role: 'reader', limit: null, nodes: [] },
        ]),
      ),
      nodeUrl: 'postgres://primary',
      lookUpAt: () => Promise.reject(new Error('no other node is read')),
    });
  return { identity } as RequestScope;
};

/** An object of each type, with only the fields that its guard reads. */
const AT = { name: 'lab' };
const OBJECTS: Readonly<Record<string, unknown>> = {
  Context: AT,
  CounterGroup: { at: AT },
  Crosskey: { at: AT },
  Slice: { at: AT },
  Pool: { at: AT },
  Meter: { group: { at: AT } },
  Key: { group: { at: AT } },
  KeyConnection: { group: { at: AT } },
  Alert: { at: AT },
  AlertEvent: { at: AT },
  AlertEventConnection: { at: AT },
  AlertSink: { at: AT },
  AlertTrial: { at: AT },
  AlertTrialEvent: { at: AT },
  Topper: { plan: { meter: { group: { at: AT } } } },
  TopperKey: { topper: { plan: { meter: { group: { at: AT } } } } },
};

const FOR_ADMINISTRATORS = [
  'AuditDetail',
  'AuditEntry',
  'Grant',
  'NewToken',
  'Session',
  'Token',
  'User',
];

it('every type with scopes has a guard', () => {
  const asking = Object.values(schema.getTypeMap()).filter(
    (type) => isObjectType(type) && type.isTypeOf,
  );
  expect([...guards.keys()].sort()).toEqual(asking.map(({ name }) => name).sort());
  expect([...guards.keys()].sort()).toEqual(
    [...Object.keys(OBJECTS), 'Viewer', ...FOR_ADMINISTRATORS].sort(),
  );
});

it.each(Object.entries(OBJECTS))('%s is for users who may read its context', (type, object) => {
  const see = (contexts: readonly string[] | null) => () =>
    guards.get(type)?.(object, scopeOf(contexts));
  expect(see(['lab'])).not.toThrow();
  expect(see(['other'])).toThrow('of this object');
  expect(see(null)).toThrow('Invalid API token');
});

it('Viewer is for signed-in users', () => {
  const see = (contexts: readonly string[] | null) => () =>
    guards.get('Viewer')?.({}, scopeOf(contexts));
  expect(see([])).not.toThrow();
  expect(see(null)).toThrow('Invalid API token');
});

it.each(FOR_ADMINISTRATORS)('%s is for administrators', (type) => {
  const guard = guards.get(type);
  expect(() => guard?.({}, scopeOf([], true))).not.toThrow();
  expect(() => guard?.({}, scopeOf(['lab']))).toThrow('of this object');
  expect(() => guard?.({}, scopeOf(null))).toThrow('Invalid API token');
});
