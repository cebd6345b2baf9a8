import type { Ref } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { SignIn as SignInOperation, type SignInQuery } from '../../../generated/operations.ts';
import { ask } from '../../api/ask.ts';
import { type Fault, faultOf } from '../../api/fault.ts';
import {
  beginSession,
  demoUser,
  lastUser,
  type Provider,
  type Session,
  signInProvider,
} from '../../api/session.ts';
import { Command } from '../../parts/command.tsx';

export type SignedIn = {
  readonly session: Session;
  readonly contexts: SignInQuery['viewer']['contexts'];
};

type SignInProps = {
  /** Why the user has to sign in again; null for the first time. */
  readonly reason: string | null;
  readonly onSignIn: (signedIn: SignedIn) => void;
};

export function SignIn({ reason, onSignIn }: SignInProps) {
  const [known] = useState(lastUser);
  // Its token is never filled in for somebody else.
  const demo = known === null || known === demoUser()?.username ? demoUser() : null;
  const [username, setUsername] = useState(known ?? demo?.username ?? '');
  const [token, setToken] = useState(demo?.token ?? '');
  const [stay, setStay] = useState(false);
  const [provider, setProvider] = useState<Provider | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  const [isBusy, setBusy] = useState(false);

  /** What is still to be typed: the name is remembered, the token never. */
  const isTokenMissing = known !== null && demo === null;
  const first = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => first.current?.focus(), []);
  useEffect(() => void signInProvider().then(setProvider), []);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setFault(null);
    try {
      const given = { username: username.trim(), token: token.trim() };
      const session = await beginSession({ ...given, stay });
      const { data } = await ask(SignInOperation, {}, { session });
      onSignIn({ session, contexts: data.viewer.contexts });
    } catch (error) {
      setFault(faultOf(error));
      setBusy(false);
    }
  };

  return (
    <main class="sign-in">
      <form class="sign-in-card" aria-labelledby="sign-in-title" onSubmit={submit}>
        <p class="brand">
          <Mark />
          countergraph
        </p>
        <h1 id="sign-in-title">Sign in</h1>
        <p class="sign-in-lead">See who uses the bandwidth, since when, and for what.</p>
        {reason && !fault && <p class="sign-in-reason">{reason}</p>}
        {demo && (
          <p class="sign-in-reason">
            This server has a demo. Its user and token are already filled in.
          </p>
        )}
        <Field
          field={isTokenMissing ? null : first}
          label="User"
          value={username}
          onInput={setUsername}
          autoComplete="username"
        />
        <Field
          field={isTokenMissing ? first : null}
          label="Token"
          value={token}
          onInput={setToken}
          autoComplete="current-password"
          isSecret
        />
        <label class="sign-in-stay">
          <input
            type="checkbox"
            checked={stay}
            onChange={({ currentTarget }) => setStay(currentTarget.checked)}
          />
          Stay signed in for 30 days
        </label>
        <p class="sign-in-fault" role="alert">
          {fault && explain(fault)}
        </p>
        <button type="submit" class="button is-primary is-large" aria-disabled={isBusy}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </button>
        {provider && (
          <a class="button is-large" href={withReturn(provider.url)}>
            Sign in with {provider.name}
          </a>
        )}
        <p class="sign-in-foot">
          This signs you in for all tabs of this browser, until you sign out. The server's operator
          creates tokens with <Command>user add</Command>.
        </p>
      </form>
    </main>
  );
}

/** The provider leads back to the page as it is now. */
const withReturn = (url: string): string => {
  const { pathname, search, hash } = location;
  return `${url}?return=${encodeURIComponent(pathname + search + hash)}`;
};

function explain({ kind, message, retrySeconds }: Fault): string {
  switch (kind) {
    case 'unauthenticated':
      return 'The user or token is wrong. Check both; they are case-sensitive.';
    case 'locked':
      return `${message}.`;
    case 'busy':
      return `The server is busy. Try again${retrySeconds ? ` in ${retrySeconds} s` : ''}.`;
    case 'unreachable':
      return 'The server cannot be reached. Check the network, and whether the server is running.';
    case 'outdated':
      return 'This page is older than the server. Reload it.';
    case 'page':
      return `${message}. Reload the page.`;
    default:
      return `${message}. Try again in a moment.`;
  }
}

type FieldProps = {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly autoComplete: 'username' | 'current-password';
  readonly isSecret?: boolean;
  readonly field?: Ref<HTMLInputElement>;
};

function Field({
  label,
  value,
  onInput,
  autoComplete,
  isSecret = false,
  field = null,
}: FieldProps) {
  const attributes = {
    ref: field,
    required: true,
    value,
    autoComplete,
    autoCapitalize: 'none' as const,
    spellcheck: false,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
      onInput(event.currentTarget.value),
  };
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: one of the two inputs is always present.
    <label class="field">
      <span class="field-label">{label}</span>
      {isSecret ? <input type="password" {...attributes} /> : <input type="text" {...attributes} />}
    </label>
  );
}

export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" />
      <path d="M8 9h16" />
      <path d="M8 16h10" opacity=".85" />
      <path d="M8 23h5" opacity=".7" />
    </svg>
  );
}
