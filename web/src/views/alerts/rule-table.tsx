import { conditionText } from '../../data/alerts/alert-words.ts';
import type { Rule } from '../../data/alerts/firing.ts';
import { isolated } from '../../format/isolated.ts';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { TableCard } from '../../parts/table-card.tsx';
import type { ViewProps } from '../view-props.ts';
import { SeverityMark } from './severity-mark.tsx';

const COLUMNS = ['Rule', 'Severity', 'Fires on', 'Watches', 'State', 'Evaluated up to'];

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
      <th scope="row" class="is-long">
        <a
          class="key-link"
          href={navigate.link(target)}
          title={`Show the history of ${isolated(rule.name)} only`}
          aria-current={address.alert === rule.name ? 'true' : undefined}
          onClick={onPlainClick(() => navigate.go(target))}
        >
          {rule.name}
        </a>{' '}
        {rule.description && (
          <span class="readable" title={rule.description}>
            {rule.description}
          </span>
        )}
      </th>
      <td data-name="Severity">
        <SeverityMark severity={rule.severity} />
      </td>
      <td data-name="Fires on" title={rule.condition}>
        {conditionText(rule, address.units)}
      </td>
      <td
        class="is-long"
        data-name="Watches"
        title={`${isolated(rule.counterGroup.name)} by ${isolated(rule.meter.name)}`}
      >
        <bdi>{rule.counterGroup.name}</bdi> by <bdi>{rule.meter.name}</bdi>
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
