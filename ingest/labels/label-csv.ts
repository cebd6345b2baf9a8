import { type KeyTextsUpsert, upsertKeyTexts } from '../../db/sql/key-texts.ts';
import type { KeyText } from '../../domain/keys/key-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { ImportSource } from '../files/import-source.ts';
import type { ImportGroup } from '../import-group.ts';
import { IngestError } from '../ingest-error.ts';
import { type KeyMetadata, mergeTexts } from '../key-metadata.ts';
import { type CsvLabel, csvLabels } from './csv-labels.ts';
import { type ExistingKeys, existingKeysFinder, type KeysToFind } from './find-existing.ts';
import type { LabelReport, LabelTarget } from './label-target.ts';

/**
 * Sets labels, and descriptions if there is a third field, from lines `key,label[,description]`.
 * Looks for a key in all groups whose kind allows it, or in the one group that is named, and those
 * with the same keys. There it creates the key if it is missing.
 */
export async function labelCsv(target: LabelTarget, source: ImportSource): Promise<LabelReport> {
  const groups = labelledGroups(target);
  const findExisting = existingKeysFinder(target.connection, target.contextId);
  const counts = { labelled: 0, unchanged: 0, created: 0, unknown: 0 };
  const { signal } = target;
  for await (const batch of batchesOf(csvLabels({ source, groups, signal }))) {
    const existing = await findExisting(candidatesOf(batch));
    const { found, unknown } = meantKeys(target, existing, batch);
    const changed = await upsertKeyTexts(target.connection, found.map(upsertOf));
    counts.labelled += changed;
    counts.unchanged += found.length - changed;
    counts.created += found.filter(isCreated).length;
    counts.unknown += unknown;
  }
  return { source: source.name, ...counts, keptByUser: 0 };
}

function labelledGroups({ groups, onlyGroup }: LabelTarget): readonly ImportGroup[] {
  if (onlyGroup === null) return groups.filter(({ keyKind }) => keyKind !== 'crosskey');
  if (onlyGroup.keyKind !== 'crosskey') {
    return groups.filter(({ keysGroupId }) => keysGroupId === onlyGroup.keysGroupId);
  }
  throw new IngestError(
    `the labels of cross-key group ${onlyGroup.guid} come from its parts: label those`,
  );
}

const BATCH_LABELS = 10_000;

async function* batchesOf(labels: AsyncIterable<CsvLabel>): AsyncGenerator<CsvLabel[]> {
  let batch: CsvLabel[] = [];
  let bytes = 0;
  for await (const label of labels) {
    batch.push(label);
    bytes += label.bytes;
    if (batch.length < BATCH_LABELS && bytes < LIMITS.importBatchTextBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Returns the keys that lines may mean, by group. */
function candidatesOf(batch: readonly CsvLabel[]): KeysToFind[] {
  const byGroup = new Map<number, { group: ImportGroup; keys: KeyText[] }>();
  for (const { candidates } of batch) {
    for (const { group, key } of candidates) {
      const known = byGroup.get(group.groupId);
      if (known) known.keys.push(key);
      else byGroup.set(group.groupId, { group, keys: [key] });
    }
  }
  return [...byGroup.values()];
}

type MeantKey = {
  readonly groupId: number;
  readonly key: string;
  readonly texts: KeyMetadata;
  readonly exists: boolean;
};

/** Returns the keys that lines mean, each once, and the number of lines that mean none. */
function meantKeys(
  { onlyGroup }: LabelTarget,
  existing: ExistingKeys,
  batch: readonly CsvLabel[],
): { found: MeantKey[]; unknown: number } {
  const found = new Map<string, MeantKey>();
  let unknown = 0;
  for (const { candidates, texts } of batch) {
    let meant = 0;
    for (const { group, key } of candidates) {
      const { keysGroupId: groupId } = group;
      const name = `${groupId} ${key}`;
      const known = found.get(name);
      const exists = known?.exists || (existing.get(group.groupId)?.has(key) ?? false);
      if (!exists && !onlyGroup) continue;
      meant += 1;
      found.set(name, { groupId, key, texts: mergeTexts(known?.texts, texts), exists });
    }
    if (meant === 0) unknown += 1;
  }
  return { found: [...found.values()], unknown };
}

const upsertOf = ({ groupId, key, texts }: MeantKey): KeyTextsUpsert => ({
  groupId,
  key,
  label: texts.label,
  description: texts.description,
  attributes: undefined,
});

/**
 * Returns whether a key was created. A key exists by its texts, so one that is given none is not.
 */
const isCreated = ({ exists, texts }: MeantKey): boolean =>
  !exists && (typeof texts.label === 'string' || typeof texts.description === 'string');
