import type { Address } from '../../address/address.ts';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { IN_NO_VIEW, type ViewProps } from '../view-props.ts';

type NewRuleLinkProps = Pick<ViewProps, 'navigate'> & {
  /** Readable key that the rule is about; left out: what the address shows. */
  readonly about?: string;
  readonly class?: string;
  readonly text?: string;
};

/** Leads to the form of a new rule about what is shown. */
export function NewRuleLink(props: NewRuleLinkProps) {
  const { navigate, about = null, text = 'New rule' } = props;
  const target: Partial<Address> = {
    ...IN_NO_VIEW,
    view: 'alerts',
    draft: { kind: 'new' },
    key: about,
  };
  return (
    <a
      class={props.class ?? 'button is-primary'}
      href={navigate.link(target)}
      onClick={onPlainClick(() => navigate.go(target))}
    >
      {text}
    </a>
  );
}
