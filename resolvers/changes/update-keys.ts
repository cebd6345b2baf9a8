import { malformed } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import {
  type EditedTexts,
  type GivenTexts,
  parseEditedTexts,
} from '../../domain/text/edited-texts.ts';
import type { Guid } from '../../domain/text/guid.ts';
import { findContext } from '../contexts.ts';
import { type CounterGroupView, findGroup } from '../counter-groups.ts';
import { type KeyView, parseKeyOf, viewKeys } from '../keys.ts';
import { changeKeyTexts } from '../loaders/changes.ts';
import type { RequestScope } from '../request-scope.ts';
import { makeOnce, requireEditor } from './require-editor.ts';

type KeysUpdate = {
  readonly context: string;
  readonly counterGroup: Guid;
  /** Keys in raw or readable form, each with its new texts. */
  readonly keys: readonly (GivenTexts & { readonly key: string })[];
};

/**
 * Changes the texts of keys, all or none, and returns the changed keys in the order in which they
 * were given. null: no such context or group, or none that the caller may see. `name`: the field's
 * name in the answer. Errors: `notEditor`, malformed values, those of the database.
 */
export async function updateKeys(
  scope: RequestScope,
  name: string,
  update: KeysUpdate,
): Promise<KeyView[] | null> {
  const { context, counterGroup } = update;
  if (!(await findContext(scope, context))) return null;
  const { username } = requireEditor(scope, context, 'updateKeys');
  const before = await groupNow(scope, update);
  if (!before) return null;
  const edited = editedKeys(before, update.keys);
  const seen = await Promise.all(edited.map(({ key }) => seesKey(before, key)));
  const hidden = seen.indexOf(false);
  if (hidden >= 0) {
    throw malformed(`keys[${hidden}].key`, 'a key that you may see', update.keys[hidden]?.key);
  }
  await makeOnce(scope, name, async () => {
    const { groupId } = before.read;
    const by = { user: username, from: scope.from };
    const keys = edited.map(({ key, texts }) => ({ key, fields: namesOf(texts) }));
    const changed = await changeKeyTexts(scope.reads, {
      updates: edited.map(({ key, texts }) => ({
        groupId,
        key,
        ...texts,
        attributes: asJson(texts),
      })),
      audit: { by, object: counterGroup, detail: { context, keys } },
    });
    const mutation = 'updateKeys';
    scope.onChange({ mutation, ...by, context, group: counterGroup, keys, changed });
  });
  const after = await groupNow(scope, update);
  return (
    after &&
    viewKeys(
      after,
      edited.map(({ key }) => key),
      null,
    )
  );
}

/** Reads the group as of now: earlier reads are outdated after a change. */
async function groupNow(
  scope: RequestScope,
  { context, counterGroup }: KeysUpdate,
): Promise<CounterGroupView | null> {
  const at = await findContext(scope, context);
  return at && findGroup(at, counterGroup);
}

/**
 * Whether the caller may see a key: a text alone makes a key exist, but not one of all probes, and
 * in the group that its keys are keys of.
 */
async function seesKey({ at, read }: CounterGroupView, key: string): Promise<boolean> {
  const { contextId, loaders } = at;
  const { keysGroupId: groupId } = read;
  if (await loaders.seesReading(contextId, { groupId, probe: null, key })) return true;
  return loaders.keyExists.load({ contextId, group: read, key });
}

type EditedKey = { readonly key: string; readonly texts: EditedTexts };

function editedKeys(group: CounterGroupView, given: KeysUpdate['keys']): EditedKey[] {
  if (given.length > LIMITS.updatedKeys) {
    throw malformed('keys', `a list of at most ${LIMITS.updatedKeys} keys`, given.length);
  }
  const edited = new Map<string, EditedKey>();
  for (const [i, { key: text, ...texts }] of given.entries()) {
    const where = `keys[${i}]`;
    const key = parseKeyOf(group, text);
    if (key === null) throw malformed(`${where}.key`, `a key of ${group.row.name}`, text);
    if (edited.has(key)) throw malformed(`${where}.key`, 'a key that is not given twice', text);
    edited.set(key, { key, texts: parseEditedTexts(where, texts) });
  }
  return [...edited.values()];
}

const asJson = ({ attributes }: EditedTexts): string | null | undefined =>
  attributes ? JSON.stringify(attributes) : attributes;

const namesOf = (texts: EditedTexts): string[] =>
  Object.entries(texts)
    .filter(([, text]) => text !== undefined)
    .map(([name]) => name);
