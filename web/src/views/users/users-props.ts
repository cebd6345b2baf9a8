import type { Session } from '../../api/session.ts';
import type { ContextChoice } from '../../data/choices.ts';
import type { AccountDetails } from '../../data/users/accounts.ts';
import type { Moments } from '../../format/moment.ts';
import type { ViewProps } from '../view-props.ts';

export type UsersViewProps = ViewProps & {
  /** The contexts that the viewer may read, with what they contain. */
  readonly contexts: readonly ContextChoice[];
};

/** The props of each section about a user or group. */
export type AccountProps = {
  readonly account: AccountDetails;
  readonly session: Session;
  readonly contexts: readonly ContextChoice[];
  readonly moments: Moments;
  /** Called after a change. */
  readonly onChanged: () => void;
};
