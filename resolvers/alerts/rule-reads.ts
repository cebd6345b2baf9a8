import type { AlertRule } from '../../domain/alerts/rule.ts';
import type { Interval } from '../../domain/time/interval.ts';
import { aggregateOf } from '../../domain/toppers/meter-type.ts';
import type { MeterRule } from '../../domain/toppers/topper-arithmetic.ts';
import type { ChangesQuestion, NamedMatcher } from '../../engine/plan/key-questions.ts';
import type {
  AnswerOf,
  KeyQuestion,
  RankedKeys,
  TopKeys,
} from '../../engine/toppers/topper-answers.ts';
import type { NodeLoaders } from '../loaders/node-loaders.ts';
import type { Deadline } from '../loaders/request-reads.ts';

/** What is needed to read the windows of a rule in one snapshot. */
export type RuleReads = {
  readonly rule: AlertRule;
  /** How the meter's exact values are converted into the values that are compared. */
  readonly meterRule: MeterRule;
  readonly gridSeconds: number;
  /** Where the group, or the rule's probe, has data. */
  readonly spans: readonly Interval[];
  /** Which keys may fire; null: all. */
  readonly passing: NamedMatcher | null;
  readonly ask: <Question extends KeyQuestion>(
    interval: Interval,
    question: Question,
  ) => Promise<AnswerOf<Question>>;
};

export type WatchedRule = { readonly contextId: number; readonly rule: AlertRule };

export async function openRuleReads(
  loaders: NodeLoaders,
  { contextId, rule }: WatchedRule,
  deadline: Deadline | null,
): Promise<RuleReads> {
  const { groupId, filter } = rule;
  const { catalog } = await loaders.contextState(contextId);
  const group = catalog.groups.find((each) => each.groupId === groupId);
  const meter = catalog.metersOf(groupId).find((each) => each.meterId === rule.meterId);
  const aggregate = meter ? aggregateOf(meter.type) : null;
  // `apply` refuses such rules, and changes of groups that would invalidate rules.
  if (!group || !meter || aggregate === null)
    throw new Error('the group or meter of a rule is gone');
  const bucketSeconds = group.bucketSize;
  const probe = catalog.probes.find(({ name }) => name === rule.probe);
  const probeId = probe?.probeId ?? null;
  const isThere = rule.probe === null || probe !== undefined;
  const spans = catalog.coverageOf(groupId).flatMap((row) => {
    const isMeant = isThere && (probeId === null || row.probeId === probeId);
    return isMeant ? [{ from: row.firstBucket, to: row.lastBucket + bucketSeconds }] : [];
  });
  const read = {
    groupId,
    bucketSeconds,
    meterIndex: meter.meterIndex,
    aggregate,
    probeId,
    prefix: null,
  };
  return {
    rule,
    meterRule: {
      aggregate,
      samplingRate: group.samplingRate,
      topperBucketSeconds: group.topperBucketSize,
    },
    gridSeconds: group.topperBucketSize,
    spans,
    passing:
      filter &&
      (await loaders.keyMatcher({
        contextId,
        group: catalog.readGroup(groupId),
        filter,
        of: 'keys',
      })),
    ask: (interval, question) =>
      loaders.askKeys({ contextId, read: { ...read, interval }, question, deadline }),
  };
}

/** Reads the largest keys of an interval among those that may fire. */
export const askTop = (
  { ask, passing }: RuleReads,
  interval: Interval,
  maxItems: number,
): Promise<TopKeys> => ask(interval, { kind: 'top', maxItems, within: null, passing });

/** Reads the keys that changed most since another interval, among those that may fire. */
export const askChanges = (
  { ask, passing }: RuleReads,
  interval: Interval,
  changes: Pick<ChangesQuestion, 'change' | 'since' | 'maxItems'>,
): Promise<RankedKeys> => ask(interval, { kind: 'changes', ...changes, within: null, passing });
