import type { CountedLoss, CountedRefusal } from '../domain/exporters.ts';
import type { KeyFilter } from '../domain/filters/key-filter.ts';
import type { Interval } from '../domain/time/interval.ts';
import type {
  AccountView,
  AuditDetailView,
  AuditRow,
  GrantRow,
  SessionOfRow,
  TokenOfRow,
} from '../resolvers/accounts.ts';
import type { AlertEventPage, AlertEventView, AlertView } from '../resolvers/alerts/alerts.ts';
import type { SinkView } from '../resolvers/alerts/sinks.ts';
import type { TrialEventView, TrialView } from '../resolvers/alerts/trial.ts';
import type { Identity } from '../resolvers/callers/identity.ts';
import type { MadeToken } from '../resolvers/changes/change-accounts.ts';
import type { ContextView } from '../resolvers/contexts.ts';
import type { CounterGroupView, MeterView } from '../resolvers/counter-groups.ts';
import type { ExporterView } from '../resolvers/exporters.ts';
import type { KeyAttribute, KeyPage, KeyView } from '../resolvers/keys.ts';
import type { PoolView } from '../resolvers/pools.ts';
import type { SavedView } from '../resolvers/saved-views.ts';
import type { SliceView } from '../resolvers/slices.ts';
import type { FlatSeriesPoint } from '../resolvers/toppers/flat-series.ts';
import type { ComparedWindow, PreviousMetric } from '../resolvers/toppers/topper-comparisons.ts';
import type { SeriesPoint, TopperSeriesPoint } from '../resolvers/toppers/topper-series.ts';
import type { MatchingKeys, RankedKey, Topper } from '../resolvers/toppers/toppers.ts';
import { builder } from './builder.ts';

/**
 * Every object type of the graph, declared once. The files of the types import each other's refs
 * from here and never import each other, so types that refer to each other make no import cycle.
 */
export const ViewerRef = builder.objectRef<Identity>('Viewer');
export const UserRef = builder.objectRef<AccountView>('User');
export const GrantRef = builder.objectRef<GrantRow>('Grant');
export const TokenRef = builder.objectRef<TokenOfRow>('Token');
export const SessionRef = builder.objectRef<SessionOfRow>('Session');
export const AuditEntryRef = builder.objectRef<AuditRow>('AuditEntry');
export const AuditDetailRef = builder.objectRef<AuditDetailView>('AuditDetail');
export const NewTokenRef = builder.objectRef<MadeToken>('NewToken');
export const ContextRef = builder.objectRef<ContextView>('Context');
export const TimeIntervalRef = builder.objectRef<Interval>('TimeInterval');
export const SavedViewRef = builder.objectRef<SavedView>('SavedView');
export const SliceRef = builder.objectRef<SliceView>('Slice');
export const PoolRef = builder.objectRef<PoolView>('Pool');
export const ExporterRef = builder.objectRef<ExporterView>('Exporter');
export const ExporterLossRef = builder.objectRef<CountedLoss>('ExporterLoss');
export const ExporterRefusalRef = builder.objectRef<CountedRefusal>('ExporterRefusal');
export const CounterGroupRef = builder.objectRef<CounterGroupView>('CounterGroup');
export const CrosskeyRef = builder.objectRef<CounterGroupView>('Crosskey');
export const MeterRef = builder.objectRef<MeterView>('Meter');
export const TopperRef = builder.objectRef<Topper>('Topper');
export const TopperMatchingRef = builder.objectRef<MatchingKeys>('TopperMatching');
export const TopperKeyRef = builder.objectRef<RankedKey>('TopperKey');
export const ComparedWindowRef = builder.objectRef<ComparedWindow>('ComparedWindow');
export const PreviousMetricRef = builder.objectRef<PreviousMetric>('PreviousMetric');
export const KeyAttributeRef = builder.objectRef<KeyAttribute>('KeyAttribute');
export const PercentileRef = builder.objectRef<{ rank: number; value: bigint }>('Percentile');
export const SeriesPointRef = builder.objectRef<SeriesPoint>('SeriesPoint');
export const TopperSeriesPointRef = builder.objectRef<TopperSeriesPoint>('TopperSeriesPoint');
export const FlatSeriesPointRef = builder.objectRef<FlatSeriesPoint>('FlatSeriesPoint');
export const KeyRef = builder.objectRef<KeyView>('Key');
export const KeyConnectionRef = builder.objectRef<KeyPage>('KeyConnection');
export const KeyEdgeRef = builder.objectRef<KeyView>('KeyEdge');
export const AlertRef = builder.objectRef<AlertView>('Alert');
export const AlertEventRef = builder.objectRef<AlertEventView>('AlertEvent');
export const AlertEventConnectionRef = builder.objectRef<AlertEventPage>('AlertEventConnection');
export const AlertEventEdgeRef = builder.objectRef<AlertEventView>('AlertEventEdge');
export const AlertFilterRef = builder.objectRef<KeyFilter>('AlertFilter');
export const AlertSinkRef = builder.objectRef<SinkView>('AlertSink');
export const AlertTrialRef = builder.objectRef<TrialView>('AlertTrial');
export const AlertTrialEventRef = builder.objectRef<TrialEventView>('AlertTrialEvent');
