/** What can be done to an item of a declaration. */
const DECLARED = ['context', 'node', 'pool', 'probe', 'group', 'meter', 'sink', 'alert'] as const;

type DeclaredAction = `${(typeof DECLARED)[number]} ${'created' | 'changed' | 'removed'}`;

export type AuditAction =
  | DeclaredAction
  | 'user added'
  | 'user removed'
  | 'user linked'
  | 'user unlinked'
  | 'administrator added'
  | 'administrator removed'
  | 'token set'
  | 'token made'
  | 'token replaced'
  | 'token revoked'
  | 'token expired'
  | 'access granted'
  | 'access revoked'
  | 'role changed'
  | 'limit changed'
  | 'session began'
  | 'session ended'
  | 'labels imported'
  | 'file uploaded'
  | 'keys changed'
  | 'slice tagged'
  | 'view saved'
  | 'view removed'
  | 'slice archived'
  | 'slice restored'
  | 'slice dropped'
  | 'alert silenced'
  | 'alert silence lifted'
  | 'alert event acknowledged'
  | 'alert events dropped'
  | 'pages distributed'
  | 'pages brought back'
  | typeof SIGN_IN_FAILED;

export const SIGN_IN_FAILED = 'sign-in failed';

/** Who made a change, and where: a user at an address, or a user of a machine. */
export type AuditActor = { readonly user: string; readonly from: string };

/** A change, without any value that may be secret. */
export type AuditEntry = {
  readonly action: AuditAction;
  /** The name of what was changed. */
  readonly object: string;
  readonly detail?: AuditDetail;
};

export type AuditDetail = Readonly<
  Record<string, string | number | boolean | null | readonly unknown[]>
>;
