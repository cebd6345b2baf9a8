import type { AlertHistoryQuery } from '../../../generated/operations.ts';
import type { EventRule } from '../../data/alerts/firing.ts';
import type { RuleField } from '../../data/alerts/rule-faults.ts';
import type { RuleTexts } from '../../data/alerts/rule-texts.ts';
import type { ContextChoice } from '../../data/choices.ts';
import type { ViewProps } from '../view-props.ts';

export type Sink = NonNullable<
  NonNullable<NonNullable<AlertHistoryQuery['context']>['alertSinks']>
>[number];

export type AlertsViewProps = ViewProps & {
  /** null: not known, or the viewer may not change rules, which are about all of a context. */
  readonly sinks: readonly Sink[] | null;
  /** Called after a change. */
  readonly onChanged: () => void;
};

/** Whether the viewer may make, change, silence and remove rules. */
export const mayMakeRules = ({ alerts, sinks }: AlertsViewProps): boolean =>
  alerts.mayEdit && sinks !== null;

/** The props of all fields of the form of a rule. */
export type RuleFieldsProps = AlertsViewProps & {
  readonly texts: RuleTexts;
  /** null: the group or meter does not exist. */
  readonly said: EventRule | null;
  readonly choice: ContextChoice;
  readonly faults: ReadonlyMap<RuleField, string>;
  readonly onChange: (changes: Partial<RuleTexts>) => void;
};
