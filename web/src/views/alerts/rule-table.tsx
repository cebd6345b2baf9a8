import { RemoveAlert } from '../../../generated/operations.ts';
import type { Rule } from '../../data/alerts/firing.ts';
import { ruleText } from '../../data/alerts/rule-words.ts';
import { isolated } from '../../format/isolated.ts';
import { compareSeverities } from '../../format/severity.ts';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { TableCard } from '../../parts/table-card.tsx';
import { ConfirmButton } from '../controls/confirm-button.tsx';
import { type AlertsViewProps, mayMakeRules } from './alerts-props.ts';
import { SeverityMark } from './severity-mark.tsx';
import { Silence } from './silence.tsx';

const COLUMNS = ['Severity', 'Rule', 'Fires on', 'State', 'Made by'];

/** The rules in full, and the state of each. */
export function RuleTable(props: AlertsViewProps) {
  const rules = [...(props.alerts.rules ?? [])].sort((a, b) =>
    compareSeverities(a.severity, b.severity),
  );
  return (
    <TableCard
      name="Rules"
      note={String(rules.length)}
      columns={mayMakeRules(props) ? [...COLUMNS, 'Change'] : COLUMNS}
      empty="No rules yet."
    >
      {rules.map((rule) => (
        <RuleRow key={rule.id} {...props} rule={rule} />
      ))}
    </TableCard>
  );
}

type RuleProps = AlertsViewProps & { readonly rule: Rule };

function RuleRow(props: RuleProps) {
  const { rule, address, navigate } = props;
  const target = { alert: rule.name, after: null };
  return (
    <tr class="is-rule">
      <td data-name="Severity">
        <SeverityMark severity={rule.severity} />
      </td>
      <th scope="row" class="is-wrapped">
        <a
          class="key-link"
          href={navigate.link(target)}
          title={`Show the history of ${isolated(rule.name)} only`}
          aria-current={address.alert === rule.name ? 'true' : undefined}
          onClick={onPlainClick(() => navigate.go(target))}
        >
          {rule.name}
        </a>
        {rule.description && <span class="rule-description">{rule.description}</span>}
      </th>
      <td class="is-wrapped" data-name="Fires on">
        {ruleText(rule, address.units)}
      </td>
      <td class="is-wrapped" data-name="State">
        <RuleState {...props} />
      </td>
      <td class="is-wrapped" data-name="Made by">
        {rule.madeInPage ? <bdi>{rule.madeBy ?? 'an editor'}</bdi> : 'a file'}
      </td>
      {mayMakeRules(props) && (
        <td class="is-wrapped" data-name="Change">
          <RuleActs {...props} />
        </td>
      )}
    </tr>
  );
}

function RuleState({ rule, moments }: RuleProps) {
  const { enabled, firing, evaluatedTo, silencedUntil, silencedBy, silenceReason } = rule;
  const by = silencedBy === null ? '' : ` by ${isolated(silencedBy)}`;
  const why = silenceReason === null ? '' : `: ${isolated(silenceReason)}`;
  return (
    <>
      {!enabled ? 'disabled' : firing.length === 0 ? 'quiet' : `${firing.length} firing`}
      {silencedUntil !== null && (
        <span class="rule-silence">
          silenced until {moments.full(silencedUntil)}
          {by}
          {why}
        </span>
      )}
      {evaluatedTo !== null && (
        <span class="rule-description">evaluated up to {moments.full(evaluatedTo)}</span>
      )}
    </>
  );
}

/** What was declared in a file is changed there, or `apply` would refuse the file. */
function RuleActs(props: RuleProps) {
  const { rule, address, navigate, session, onChanged } = props;
  const draft = { kind: rule.madeInPage ? 'change' : 'copy', rule: rule.name } as const;
  const name = isolated(rule.name);
  return (
    <span class="rule-acts">
      <a
        href={navigate.link({ draft })}
        title={
          rule.madeInPage
            ? `Change ${name}`
            : `Make a new rule like ${name}, which is declared in a file and can only be changed there`
        }
        onClick={onPlainClick(() => navigate.go({ draft }))}
      >
        {rule.madeInPage ? 'Edit' : 'Copy'}
      </a>
      <Silence {...props} />
      {rule.madeInPage && (
        <ConfirmButton
          class="text-button"
          session={session}
          label="Remove"
          title={`Remove the rule ${name}?`}
          operation={RemoveAlert}
          variables={{ context: address.context ?? '', name: rule.name }}
          isMade={({ removeAlert }) => removeAlert !== null}
          onDone={onChanged}
        >
          Its firing events end. What it fired stays in the history.
        </ConfirmButton>
      )}
    </span>
  );
}
