import { Command } from '../../parts/command.tsx';
import { Notice } from '../../parts/notice.tsx';
import type { ViewProps } from '../view-props.ts';

/** How to declare rules. */
export function NoRulesNotice({ address, group }: ViewProps) {
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
    <Notice title={`The context “${address.context}” has no alert rules yet`}>
      <p>
        A rule watches a counter group and fires when a key or the total crosses a threshold. The
        server's operator declares rules in a file like this one and applies it with{' '}
        <Command>apply alerts.json</Command>:
      </p>
      <pre>{JSON.stringify(declaration, null, 2)}</pre>
      <p>
        <code>docs/how-to/alerts.md</code> lists all conditions and explains notifications.
      </p>
    </Notice>
  );
}
