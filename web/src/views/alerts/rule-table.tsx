import type { Rule } from '../../data/alerts/firing.ts';
import { ruleText } from '../../data/alerts/rule-words.ts';
import { isolated } from '../../format/isolated.ts';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { TableCard } from '../../parts/table-card.tsx';
import type { ViewProps } from '../view-props.ts';
import { SeverityMark } from './severity-mark.tsx';

const COLUMNS = ['Severity', 'Rule', 'Fires on', 'State', 'Evaluated up to'];

/** The rules, and the state of each. */
export function RuleTable(props: ViewProps) {
  const rules = props.alerts.rules ?? [];
  return (
    <TableCard name="Rules" note={String(rules.length)} columns={COLUMNS} empty="No rules yet.">
      {rules.map((rule) => (
        <RuleRow key={rule.id} {...props} rule={rule} />
      ))}
    </TableCard>
  );
}

function RuleRow({ rule, address, navigate, moments }: ViewProps & { readonly rule: Rule }) {
  const target = { alert: rule.name, after: null };
  return (
    <tr>
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
      <td data-name="State">{stateOf(rule)}</td>
      <td data-name="Evaluated up to">
        {rule.evaluatedTo === null ? '–' : moments.full(rule.evaluatedTo)}
      </td>
    </tr>
  );
}

function stateOf({ enabled, firing }: Rule): string {
  if (!enabled) return 'disabled';
  return firing.length === 0 ? 'quiet' : `${firing.length} firing`;
}
