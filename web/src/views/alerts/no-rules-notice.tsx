import { Command } from '../../parts/command.tsx';
import { Notice } from '../../parts/notice.tsx';
import { type AlertsViewProps, mayMakeRules } from './alerts-props.ts';
import { NewRuleLink } from './new-rule-link.tsx';

/** How to make the first rule. */
export function NoRulesNotice(props: AlertsViewProps) {
  const { address, group } = props;
  const declaration = {
    context: address.context,
    alerts: [
      {
        name: 'big talker',
        group: group?.guid ?? '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}',
        when: { key_above: 1_000_000_000 },
      },
    ],
  };
  return (
    <Notice
      title={`The context “${address.context}” has no alert rules yet`}
      actions={mayMakeRules(props) && <NewRuleLink {...props} />}
    >
      <p>
        {!mayMakeRules(props) && 'Rules are shown to whoever may see all of the context. '}A rule
        watches a counter group and fires when a key or the total crosses a threshold.{' '}
        {mayMakeRules(props) ? 'Make one here, or declare' : 'Editors make them here, or declare'}{' '}
        rules in a file like this one and apply it with <Command>apply alerts.json</Command>:
      </p>
      <pre>{JSON.stringify(declaration, null, 2)}</pre>
      <p>
        <code>docs/how-to/alerts.md</code> lists all conditions and explains notifications.
      </p>
    </Notice>
  );
}
