import {
  createDnsNames,
  type DnsName,
  type LookedUpCounts,
  selectDnsNames,
  upsertDnsNames,
  upsertLookedUpLabels,
} from '../../db/sql/looked-up-labels.ts';
import { groupBy } from '../../domain/group-by.ts';
import { type KeyText, parseReadableKey } from '../../domain/keys/key-text.ts';
import { boundedCache, ownCopy } from '../bounded-cache.ts';
import type { ImportSource } from '../files/import-source.ts';
import { readContent } from '../files/read-content.ts';
import { createZeekReader, type ZeekRecord, zeekTime } from '../formats/zeek/zeek-log.ts';
import type { ImportGroup } from '../import-group.ts';
import { IngestError } from '../ingest-error.ts';
import { collectBadLines } from '../lines/bad-lines.ts';
import { readLines } from '../lines/read-lines.ts';
import { existingKeysFinder } from './find-existing.ts';
import type { LabelReport, LabelTarget } from './label-target.ts';

/**
 * Labels the addresses in the answers of a Zeek `dns.log` with the names that were queried. The
 * newest answer wins, also over those of files that were read before, but never over a label given
 * by a user. Only existing keys are labelled, because most addresses in DNS answers never take part
 * in any traffic.
 */
export async function labelZeekDns(
  target: LabelTarget,
  source: ImportSource,
): Promise<LabelReport> {
  const { connection, signal } = target;
  const groups = addressGroups(target);
  await createDnsNames(connection);
  const names = createNewestNames((batch) => upsertDnsNames(connection, batch));
  const read = createZeekReader('dns');
  await readLines({
    content: readContent(source),
    badLines: collectBadLines(source.name, 'stop'),
    take: async (line) => {
      const record = read(line);
      if (record) for (const name of namesIn(record)) await names.add(name);
    },
    onBlock: () => signal?.throwIfAborted(),
  });
  await names.flush();
  const counts = await labelAddresses(target, groups);
  return { source: source.name, created: 0, ...counts };
}

/** Names looked up at once. */
const PAGE_NAMES = 10_000;

/** Labels the keys that have a newest name. */
async function labelAddresses(
  { connection, contextId }: LabelTarget,
  groups: readonly ImportGroup[],
): Promise<LookedUpCounts & { unknown: number }> {
  const findExisting = existingKeysFinder(connection, contextId);
  const total = { labelled: 0, unchanged: 0, keptByUser: 0, unknown: 0 };
  let page: DnsName[];
  let after = '';
  do {
    page = await selectDnsNames(connection, { after, limit: PAGE_NAMES });
    after = page.at(-1)?.key ?? after;
    const keys = page.map(({ key }) => key);
    const existing = await findExisting(groups.map((group) => ({ group, keys })));
    for (const [groupId, same] of groupBy(groups, ({ keysGroupId }) => keysGroupId)) {
      const known = same.map((group) => existing.get(group.groupId));
      const names = page.filter(({ key }) => known.some((keys) => keys?.has(key)));
      if (names.length === 0) continue;
      const counts = await upsertLookedUpLabels(connection, { groupId, source: 'dns', names });
      total.labelled += counts.labelled;
      total.unchanged += counts.unchanged;
      total.keptByUser += counts.keptByUser;
    }
    const sets = [...existing.values()];
    total.unknown += keys.filter((key) => !sets.some((known) => known.has(key))).length;
  } while (page.length === PAGE_NAMES);
  return total;
}

function addressGroups({ groups, onlyGroup }: LabelTarget): ImportGroup[] {
  const isAddress = ({ keyKind }: ImportGroup) =>
    keyKind === 'ip' || keyKind === 'ipv4' || keyKind === 'ipv6';
  if (onlyGroup === null) return groups.filter(isAddress);
  if (isAddress(onlyGroup)) return [onlyGroup];
  throw new IngestError(
    `DNS answers label addresses: the keys of group ${onlyGroup.guid} are of kind ${onlyGroup.keyKind}`,
  );
}

const ADDRESS_QUERIES: ReadonlySet<string | undefined> = new Set(['A', 'AAAA']);

/**
 * Returns the names that a line gives to addresses. An answer may hold other names too: aliases.
 */
function namesIn(record: ZeekRecord): DnsName[] {
  if (!ADDRESS_QUERIES.has(record.text('qtype_name'))) return [];
  const answeredUs = zeekTime(record);
  const name = hostName(record.text('query'));
  if (name === null) return [];
  return record.list('answers').flatMap((answer) => {
    const key = addressOf(answer);
    return key === null ? [] : [{ key, name, answeredUs }];
  });
}

/**
 * Returns a name that can be a label. A query may hold any bytes; an unusable one names nothing.
 */
function hostName(query: string | undefined): string | null {
  const name = query?.replace(/\.$/, '') ?? '';
  return name === '' || /[\p{Control}\p{Surrogate}\uFFFD]/u.test(name) ? null : ownCopy(name);
}

const KNOWN_ANSWERS = 65_536;

const addressOf = boundedCache(KNOWN_ANSWERS, (answer: string): KeyText | null =>
  parseReadableKey('ip', answer),
);

const BATCH_NAMES = 50_000;

/** Of the same time, one of them has to win, in whatever order they come. */
const isNewer = (a: DnsName, b: DnsName): boolean =>
  a.answeredUs === b.answeredUs ? a.name > b.name : a.answeredUs > b.answeredUs;

/** Keeps the newest name of each address, and passes names on in batches to bound memory. */
function createNewestNames(write: (names: DnsName[]) => Promise<void>) {
  let newest = new Map<string, DnsName>();
  const flush = async () => {
    const batch = [...newest.values()];
    newest = new Map();
    if (batch.length > 0) await write(batch);
  };
  return {
    flush,
    async add(name: DnsName): Promise<void> {
      const known = newest.get(name.key);
      if (!known || isNewer(name, known)) newest.set(name.key, name);
      if (newest.size >= BATCH_NAMES) await flush();
    },
  };
}
