import { EndSessions } from '../../../generated/operations.ts';
import { isolated } from '../../format/isolated.ts';
import { ConfirmButton } from '../controls/confirm-button.tsx';
import type { AccountProps } from './users-props.ts';

/** Where a user is signed in. */
export function SessionSection({ account, session, moments, onChanged }: AccountProps) {
  const { sessions } = account;
  const name = isolated(account.name);
  return (
    <section aria-label="Sessions">
      <div class="user-head">
        <h3>
          Sessions <span>· {sessions.length}</span>
        </h3>
        {sessions.length > 0 && (
          <ConfirmButton
            session={session}
            label="End all sessions"
            title={`End all sessions of ${name}?`}
            operation={EndSessions}
            variables={{ user: account.name }}
            isMade={({ endSessions }) => endSessions !== null}
            onDone={onChanged}
          >
            {account.name === session.username
              ? 'You are signed out, in all browsers.'
              : `${name} is signed out in all browsers, and can sign in again.`}
          </ConfirmButton>
        )}
      </div>
      {sessions.length === 0 && <p class="hint">Not signed in in any browser.</p>}
      <ul class="user-items">
        {sessions.map(({ began, ends, token, issuer }, index) => (
          <li key={index} class="user-item">
            <p>
              <strong>{issuer ?? `Token ${token}`}</strong>
              <span class="hint">Began {moments.full(began)}</span>
              <span class="hint">Ends {moments.full(ends)} at the latest</span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
