import { selectKeyIds } from '../db/write/select-key-ids.ts';
import { updateKeyTexts } from '../db/write/update-key-texts.ts';
import { LIMITS } from '../domain/limits.ts';
import { shardOf } from '../domain/shard.ts';
import { type CsvLabel, csvLabels } from './csv-labels.ts';
import type { ImportGroup } from './import-group.ts';
import { simpleKey } from './import-key.ts';
import type { ImportSource } from './import-source.ts';
import { IngestError } from './ingest-error.ts';
import { type KeyIds, openKeyIds } from './key-ids.ts';
import type { KeyTable } from './key-table.ts';
import { type KeyTexts, mergeTexts } from './key-texts.ts';
import type { LabelReport, LabelTarget } from './label-target.ts';

/**
 * Sets labels, and descriptions where there is a third field, from lines `key,label[,description]`.
 * A key is looked for in all groups whose kind can have it, or in the one group that is named;
 * there it is made when it is missing.
 */
export async function labelCsv(target: LabelTarget, source: ImportSource): Promise<LabelReport> {
  const groups = labelledGroups(target);
  const keyIds = await openKeyIds(target.connection, target.contextId);
  const counts = { labelled: 0, unchanged: 0, unknown: 0 };
  for await (const batch of batchesOf(csvLabels(source, groups, target.signal))) {
    const { found, unknown } = await findKeys(target, keyIds, batch);
    const changed = await writeTexts(target, found);
    counts.labelled += changed;
    counts.unchanged += found.length - changed;
    counts.unknown += unknown;
  }
  return { source: source.name, ...counts, created: keyIds.madeCount(), keptByUser: 0 };
}

function labelledGroups({ groups, onlyGroup }: LabelTarget): readonly ImportGroup[] {
  if (onlyGroup === null) return groups.filter(({ keyKind }) => keyKind !== 'crosskey');
  if (onlyGroup.keyKind !== 'crosskey') return [onlyGroup];
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

type FoundKey = {
  readonly table: KeyTable;
  /** In the table. */
  readonly index: number;
  readonly texts: KeyTexts;
};

/** The keys that some lines mean, each once, and how many lines mean none. */
async function findKeys(
  target: LabelTarget,
  keyIds: KeyIds,
  batch: readonly CsvLabel[],
): Promise<{ found: FoundKey[]; unknown: number }> {
  const existing = await selectExisting(target, batch);
  const tables = keyIds.tables();
  const found = new Map<string, FoundKey>();
  let unknown = 0;
  for (const { candidates, texts } of batch) {
    let meant = 0;
    for (const { group, keys } of candidates) {
      const place = (key: string) => `${group.groupId} ${key}`;
      const key = keys.find((text) => existing.has(place(text))) ?? (target.onlyGroup && keys[0]);
      if (!key) continue;
      meant += 1;
      const merged = mergeTexts(found.get(place(key))?.texts, texts);
      const table = tables.of(group);
      found.set(place(key), { table, index: table.indexOf(simpleKey(key)), texts: merged });
    }
    if (meant === 0) unknown += 1;
  }
  await keyIds.learn(tables);
  return { found: [...found.values()], unknown };
}

/** Which of the keys that the lines may mean are there, as group id and text. */
async function selectExisting(
  { connection }: LabelTarget,
  batch: readonly CsvLabel[],
): Promise<Set<string>> {
  const places = batch.flatMap(({ candidates }) =>
    candidates.flatMap(({ group, keys }) =>
      keys.map((key) => ({
        groupId: group.groupId,
        shard: shardOf(key, group.shardCount),
        key,
      })),
    ),
  );
  const ids = await selectKeyIds(connection, places);
  const existing = places.filter((_, i) => ids[i] !== null);
  return new Set(existing.map(({ groupId, key }) => `${groupId} ${key}`));
}

const writeTexts = ({ connection }: LabelTarget, keys: readonly FoundKey[]): Promise<number> =>
  updateKeyTexts(
    connection,
    keys.map(({ table, index, texts }) => ({
      groupId: table.group.groupId,
      ...table.idOf(index),
      label: texts.label,
      description: texts.description,
      attributes: undefined,
    })),
  );
