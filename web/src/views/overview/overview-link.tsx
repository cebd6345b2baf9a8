import { onPlainClick } from '../../parts/on-plain-click.ts';
import { IN_NO_VIEW } from '../view-props.ts';
import type { OverviewProps } from './overview-props.ts';

type OverviewLinkProps = OverviewProps & {
  readonly target: Parameters<OverviewProps['navigate']['go']>[0];
  readonly children: string;
};

/** A link to another view. */
export function OverviewLink({ navigate, target, children }: OverviewLinkProps) {
  const whole = { ...IN_NO_VIEW, ...target };
  return (
    <a href={navigate.link(whole)} onClick={onPlainClick(() => navigate.go(whole))}>
      {children}
    </a>
  );
}
